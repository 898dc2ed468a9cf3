/* SPDX-License-Identifier: MIT */
/* The C++ interface: compiled as C++17 and C++20, with exceptions and without. */
#ifdef ONE_FILE // the amalgamation
#include <ninho.hpp>
#else
#include <ninho/ninho.hpp>
#endif

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

static int n_passed, n_failed;

static void check(bool holds, const char *what, int line)
{
    if (holds) {
        n_passed++;
        return;
    }
    std::printf("%s:%d: %s\n", __FILE__, line, what);
    n_failed++;
}
#define CHECK(holds) check(static_cast<bool>(holds), #holds, __LINE__)

using secret = std::array<std::uint8_t, NINHO_SECRET_BYTES>;

static ninho::spec small(ninho_kind kind)
{
    return ninho::spec(kind).capacity(1000).fpr(0.01);
}

static ninho::filter make(const ninho::spec &spec)
{
    auto made = ninho::filter::try_create(spec);
    if (!made) {
        std::printf("%s\n", made.error().text());
        std::exit(1);
    }
    return *std::move(made);
}

static void types_hold()
{
    static_assert(std::is_nothrow_move_constructible_v<ninho::filter>);
    static_assert(std::is_nothrow_move_assignable_v<ninho::filter>);
    static_assert(!std::is_copy_constructible_v<ninho::filter>);
    static_assert(!std::is_copy_assignable_v<ninho::filter>);
    static_assert(!std::is_copy_constructible_v<ninho::view>);
    static_assert(std::is_nothrow_move_constructible_v<ninho::view>);
    static_assert(!std::is_copy_constructible_v<ninho::dictionary>);
    static_assert(std::is_nothrow_move_constructible_v<ninho::dictionary>);
    static_assert(sizeof(ninho::filter) == sizeof(void *), "a filter is its handle");
    static_assert(!std::is_convertible_v<bool, ninho::key>, "not a key by mistake");
    static_assert(!std::is_convertible_v<char, ninho::key>, "nor this");
    static_assert(!std::is_convertible_v<double, ninho::key>, "nor this");
    static_assert(std::is_convertible_v<unsigned short, ninho::key>);
    static_assert(std::is_convertible_v<std::vector<unsigned char>, ninho::bytes>);
    static_assert(!std::is_convertible_v<std::vector<int>, ninho::bytes>);
}

static void keys_are_those_of_c()
{
    ninho::filter filter = make(small(NINHO_BLOOM));
    const unsigned char raw[] = {1, 0, 255};
    const std::vector<unsigned char> copy(raw, raw + 3);
    const std::string with_nul("a\0b", 3);

    CHECK(filter.try_add("literal"));
    CHECK(filter.try_add(std::string("string")));
    CHECK(filter.try_add(std::string_view("view")));
    CHECK(filter.try_add(with_nul));
    CHECK(filter.try_add(std::int64_t{-5}));
    CHECK(filter.try_add(7));
    CHECK(filter.try_add(ninho::bytes(raw, sizeof raw)));
    CHECK(filter.try_add(""));
    CHECK(filter.count() == 8);

    CHECK(ninho_filter_has_key(filter.get(), "literal", 7));
    CHECK(ninho_filter_has_key(filter.get(), "string", 6));
    CHECK(ninho_filter_has_key(filter.get(), "view", 4));
    CHECK(ninho_filter_has_key(filter.get(), "a\0b", 3));
    CHECK(ninho_filter_has_key(filter.get(), "\373\377\377\377\377\377\377\377", 8));
    CHECK(ninho_filter_has_key(filter.get(), "\7\0\0\0\0\0\0\0", 8));
    CHECK(ninho_filter_has_key(filter.get(), raw, 3));
    CHECK(ninho_filter_has_key(filter.get(), nullptr, 0));
    CHECK(filter.has(ninho::bytes(copy)) && filter.has(std::string_view()));
    CHECK(!filter.has("another"));
    auto hasher = filter.try_hasher();
    CHECK(hasher && filter.has_hash(ninho::hash(*hasher, "view")));
    CHECK(ninho::hash(*hasher, 7) == ninho_hash_int64(&*hasher, 7));
}

static void batches_answer_as_single_calls()
{
    std::vector<std::string> words;
    std::vector<std::int64_t> numbers;
    std::vector<std::uint64_t> hashes;
    for (int i = 0; i < 200; i++) {
        words.push_back("word" + std::to_string(i));
        numbers.push_back(i * 1000003);
        hashes.push_back(static_cast<std::uint64_t>(i + 1) * 0x9e3779b97f4a7c15u);
    }
    ninho::filter filter = make(small(NINHO_CUCKOO));
    std::size_t n_added = 0;

    CHECK(
        filter.try_add_many(ninho::span<const std::string>(words.data(), 130), &n_added));
    CHECK(n_added == 130);
    CHECK(filter.try_add_many(numbers));
    CHECK(filter.try_add_hashes(hashes, &n_added) && n_added == 200);
    CHECK(filter.count() == 530);
    const ninho::answers maybe = filter.has_many(words);
    std::size_t n_true = 0;
    for (std::size_t i = 0; i < words.size(); i++) {
        CHECK(maybe[i] == filter.has(words[i]));
        CHECK(i >= 130 || maybe[i]);
        n_true += maybe[i];
    }
    CHECK(maybe.size() == 200 && maybe.count() == n_true && maybe.words().size() == 4);
    CHECK(filter.has_many(numbers).count() == 200);
    CHECK(filter.has_hashes(hashes).count() == 200);
    CHECK(filter.has_many(std::vector<int>()).count() == 0);

    const std::int32_t offsets[] = {0, 4, 4, 9};
    ninho_column column = NINHO_COLUMN_INIT;
    column.n = 3; /* "wren", "" and "robin" */
    column.data = "wrenrobin";
    column.data_size = 9;
    column.offsets32 = offsets;
    CHECK(filter.try_add_column(column, &n_added) && n_added == 3);
    CHECK(filter.has("wren") && filter.has("") && filter.has("robin"));
    CHECK(filter.try_has_column(column)->count() == 3);
    column.data_size = 8;
    CHECK(filter.try_add_column(column).status() == NINHO_ERR_ARG);
    CHECK(filter.try_has_column(column).status() == NINHO_ERR_ARG);

    auto fuse = ninho::filter::try_build(small(NINHO_FUSE), hashes);
    CHECK(fuse && fuse->has_hashes(hashes).count() == 200);
    CHECK(fuse->try_add_hash(1).status() == NINHO_ERR_UNSUPPORTED);
}

static void objects_move_and_are_cloned()
{
    ninho::filter first = make(small(NINHO_COUNTING));
    CHECK(first.try_add("a"));
    ninho::filter second = std::move(first);
    CHECK(!first && second && second.has("a")); // NOLINT: what is left is to be empty
    first = make(small(NINHO_COUNTING));
    CHECK(first && !first.has("a"));
    auto clone = second.try_clone();
    CHECK(clone && clone->has("a"));
    CHECK(second.try_remove("a") && !second.has("a") && clone->has("a"));
    CHECK(second.try_remove("a").status() == NINHO_ERR_NOT_FOUND);
    CHECK(first.try_unite(*clone) && first.has("a"));
    CHECK(first.try_unite(make(small(NINHO_BLOOM))).status() == NINHO_ERR_MISMATCH);
    CHECK(first.try_clear() && first.count() == 0);

    ninho_filter *raw = first.release();
    CHECK(!first && raw);
    ninho::filter again(raw);
    CHECK(again.get() == raw);
}

static void bytes_travel()
{
    const secret key = {1, 2, 3};
    ninho::filter filter = make(small(NINHO_QUOTIENT).secret(key));
    CHECK(filter.try_add("x"));
    CHECK(filter.try_set_meta("colour", "red"));
    CHECK(filter.try_set_attachment(std::string("attached")));
    CHECK(filter.meta("colour") == std::optional<std::string>("red"));
    CHECK(!filter.meta("none"));
    CHECK(filter.try_verify() && filter.info().is_keyed);

    auto encoded = filter.try_encode();
    CHECK(encoded && encoded->size() == filter.info().size_bytes);
    CHECK(ninho::filter::try_decode(*encoded).status() == NINHO_ERR_KEY_MISSING);
    const auto options = ninho::open_options().secret(key);
    auto decoded = ninho::filter::try_decode(*encoded, options);
    CHECK(decoded && decoded->has("x") && decoded->meta("colour"));
    CHECK(std::string_view(reinterpret_cast<const char *>(decoded->attachment().data()),
                           decoded->attachment().size()) == "attached");

    auto seen = ninho::view::try_of(*encoded, options);
    CHECK(seen && seen->has("x") && seen->info().is_read_only && seen->try_verify());
    ninho::view moved = *std::move(seen);
    CHECK(moved.has("x") && !moved.has("y"));
    auto target = filter.try_clone();
    CHECK(target && target->try_unite(moved) && target->count() == 2);
    CHECK(moved.try_clone()->has("x"));

    encoded->back() ^= 1;
    CHECK(ninho::filter::try_decode(*encoded, options).status() == NINHO_ERR_CHECKSUM);
    CHECK(ninho::view::try_of(std::string("nothing")).status() == NINHO_ERR_FORMAT);
}

static void files_hold(const std::string &folder)
{
    const std::string path = folder + "/embed_cpp_test.ninho";
    ninho::filter filter = make(small(NINHO_BLOCKED));
    CHECK(filter.try_add("x") && filter.try_save(path));
    CHECK(ninho::filter::try_open(path)->has("x"));
    CHECK(ninho::filter::try_map(path)->has("x"));
    CHECK(ninho::dictionary::try_open(path).status() != NINHO_OK);
    auto dict = ninho::dictionary::try_create();
    CHECK(dict->try_put("k", 4) && dict->try_save(path));
    CHECK(ninho::dictionary::try_open(path)->find("k") == 4u);
    std::remove(path.c_str());
    const auto gone = ninho::filter::try_open(path);
    CHECK(gone.status() == NINHO_ERR_IO && gone.error().system_errno() != 0);
}

static void dictionaries_hold()
{
    auto made =
        ninho::dictionary::try_create(ninho::dict_spec().key_size(8).capacity(10));
    CHECK(made);
    ninho::dictionary dict = *std::move(made);
    CHECK(*dict.try_put(1, 10) && *dict.try_put(2, 20) && !*dict.try_put(1, 11));
    CHECK(dict.try_put("short").status() == NINHO_ERR_ARG);
    CHECK(dict.size() == 2 && dict.find(1) == 11u && !dict.find(3) && dict.contains(2));

    std::uint64_t sum = 0;
    dict.for_each([&](std::string_view key, std::uint64_t value) {
        CHECK(key.size() == 8);
        sum += value;
    });
    CHECK(sum == 31);

    const std::vector<int> asked = {2, 3, 1};
    std::uint64_t values[3];
    const ninho::answers found = dict.find_many(asked, values);
    CHECK(found.count() == 2 && found[0] && !found[1] && found[2]);
    CHECK(values[0] == 20 && values[1] == 0 && values[2] == 11);

    auto copy = dict.try_clone();
    CHECK(copy && copy->info().count == 2 && copy->try_verify());
    CHECK(dict.remove(1) && !dict.remove(1) && copy->contains(1));
    CHECK(dict.try_reserve(100) && dict.try_clear() && dict.size() == 0);
}

static void failures_say_what_they_are_about()
{
    const auto failed =
        ninho::filter::try_create(ninho::spec(NINHO_BLOOM).capacity(10).fpr(2));
    CHECK(!failed && failed.status() == NINHO_ERR_ARG);
    CHECK(failed.error().field() == NINHO_FIELD_FPR);
    CHECK(std::strstr(failed.error().text(), "fpr"));
    CHECK(ninho::try_plan(small(NINHO_BLOOM))->capacity == 1000);
    CHECK(!ninho::try_plan(ninho::spec(NINHO_BLOOM)));
    CHECK(ninho::result<int>(ninho::failure(NINHO_ERR_FULL)).value_or(3) == 3);
    CHECK(ninho::result<int>(4).value_or(3) == 4);
}

#ifndef NINHO_NO_EXCEPTIONS
static void failures_are_thrown()
{
    ninho::filter filter = ninho::filter::create(small(NINHO_COUNTING));
    filter.add("a");
    filter.add_many(std::vector<std::string>{"b", "c"});
    filter.remove("a");
    CHECK(!filter.has("a") && filter.clone().has("b"));
    CHECK(ninho::filter::decode(filter.encode()).has("c"));
    const std::vector<unsigned char> encoded = filter.encode();
    CHECK(ninho::view::of(encoded).has("c"));
    filter.unite(filter.clone());
    CHECK(filter.count() == 4 && ninho::plan(small(NINHO_BLOOM)).kind == NINHO_BLOOM);
    ninho::dictionary dict = ninho::dictionary::create();
    CHECK(dict.put("k", 1) && dict.clone().contains("k"));
    int n_caught = 0;
    try {
        filter.remove("a");
    } catch (const ninho::error &error) {
        CHECK(error.status() == NINHO_ERR_NOT_FOUND && *error.what());
        n_caught++;
    }
    try {
        ninho::filter::create(ninho::spec(NINHO_BLOOM).capacity(1).fpr(-1));
    } catch (const std::runtime_error &error) {
        CHECK(std::strstr(error.what(), "fpr"));
        n_caught++;
    }
    CHECK(n_caught == 2);
}
#endif

int main(int argc, char **argv)
{
    types_hold();
    keys_are_those_of_c();
    batches_answer_as_single_calls();
    objects_move_and_are_cloned();
    bytes_travel();
    files_hold(argc > 1 ? argv[1] : ".");
    dictionaries_hold();
    failures_say_what_they_are_about();
#ifndef NINHO_NO_EXCEPTIONS
    failures_are_thrown();
#endif
    std::printf("%d passed, %d failed\n", n_passed, n_failed);
    return n_failed != 0;
}
