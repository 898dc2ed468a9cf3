/* SPDX-License-Identifier: MIT */
/* Filters hashed under a secret: without it nobody gets an answer, and nobody a wrong one. */
#include "conform/families.h"

#include <stdlib.h>
#include <string.h>

#include "filter/probe.h"

static const uint8_t secret[16] = "sixteen bytes..";
static const uint8_t wrong[16] = "sixteen bytes,.";

static ninho_spec keyed_spec(const struct family *family)
{
    ninho_spec spec = family_spec(family, 200, .01, 0);

    spec.hash = NINHO_HASH_SIPHASH;
    spec.secret = secret;
    if (spec.key_encoding == NINHO_KEY_HASHES)
        spec.key_encoding = NINHO_KEY_BYTES;
    return spec;
}

static ninho_filter *keyed(const struct family *family)
{
    const ninho_spec spec = keyed_spec(family);
    ninho_filter *filter = NULL;

    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    add_range(filter, &spec, 0, 200);
    return filter;
}

static void creating_needs_the_secret(void **state)
{
    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        ninho_spec spec = keyed_spec(family);
        ninho_filter *filter = NULL;
        ninho_plan plan = NINHO_PLAN_INIT;
        test_where("%s", family->name);
        spec.secret = NULL;
        CHECK_STATUS(ninho_filter_create(&spec, NULL, &filter, NULL),
                     NINHO_ERR_KEY_MISSING);
        CHECK(!filter);
        CHECK_OK(ninho_filter_plan(&spec, &plan, NULL)); /* a plan needs none */
        spec.secret = secret;
        spec.seed = 1;
        CHECK_STATUS(ninho_filter_create(&spec, NULL, &filter, NULL), NINHO_ERR_ARG);
        spec.seed = 0;
        spec.hash = NINHO_HASH_XXH3;
        CHECK_STATUS(ninho_filter_create(&spec, NULL, &filter, NULL), NINHO_ERR_ARG);
        CHECK(!filter);
    }
}

static void the_secret_is_nowhere_in_the_bytes(void **state)
{
    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        ninho_filter *filter = keyed(family);
        size_t size;
        uint8_t *bytes = encoded(filter, &size);
        test_where("%s", family->name);
        for (size_t at = 0; at + 8 <= size; at++)
            CHECK(memcmp(bytes + at, secret, 8) != 0 &&
                  memcmp(bytes + at, secret + 8, 8) != 0);
        free(bytes);
        ninho_filter_free(filter);
    }
}

/* Every door, with no secret, a wrong one, the right one, and sealed. */
static void a_wrong_or_missing_secret_is_refused(void **state)
{
    struct temp_dir dir;
    char path[512];

    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "keyed", path);
    FOR_EACH_FAMILY(family)
    {
        const ninho_spec spec = keyed_spec(family);
        ninho_filter *filter = keyed(family);
        size_t size;
        uint8_t *bytes = encoded(filter, &size);
        CHECK_OK(ninho_filter_save(filter, path, NULL));
        for (int which = 0; which < 4; which++) {
            ninho_open_options open = NINHO_OPEN_INIT;
            ninho_filter *opened[3] = {NULL, NULL, NULL};
            const ninho_filter *viewed = NULL;
            ninho_view view;
            ninho_error error = NINHO_ERROR_INIT;
            open.secret = which == 0   ? NULL
                          : which == 1 ? wrong
                          : which == 2 ? secret
                                       : NULL;
            open.allow_sealed = which == 3;
            const ninho_status expected = which == 0   ? NINHO_ERR_KEY_MISSING
                                          : which == 1 ? NINHO_ERR_KEY_WRONG
                                                       : NINHO_OK;
            test_where("%s: case %d", family->name, which);
            CHECK_STATUS(ninho_filter_decode(bytes, size, &open, &opened[0], &error),
                         expected);
            CHECK(!expected || error.status == expected);
            CHECK_STATUS(ninho_filter_open(path, &open, &opened[1], NULL), expected);
            CHECK_STATUS(ninho_filter_map(path, &open, &opened[2], NULL), expected);
            CHECK_STATUS(ninho_filter_view(&view, bytes, size, &open, &viewed, NULL),
                         expected);
            if (which == 0) {
                CHECK_STATUS(ninho_filter_decode(bytes, size, NULL, &opened[0], NULL),
                             expected);
                CHECK_STATUS(ninho_filter_open(path, NULL, &opened[1], NULL), expected);
            }
            for (int i = 0; i < 4; i++) {
                const ninho_filter *f = i < 3 ? opened[i] : viewed;
                CHECK(!!f == !expected);
                if (f && which == 2) {
                    check_same_bytes(filter, f);
                    check_same_answers(filter, f, &spec, 200);
                }
            }
            for (int i = 0; i < 3; i++)
                ninho_filter_free(opened[i]);
        }
        /* wrong is wrong, even where sealed is allowed */
        ninho_open_options open = NINHO_OPEN_INIT;
        ninho_filter *none = NULL;
        open.secret = wrong;
        open.allow_sealed = true;
        CHECK_STATUS(ninho_filter_decode(bytes, size, &open, &none, NULL),
                     NINHO_ERR_KEY_WRONG);
        free(bytes);
        ninho_filter_free(filter);
    }
    temp_dir_remove(&dir);
}

static void a_secret_for_an_open_filter_is_refused(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        if (family->spec.hash == NINHO_HASH_SIPHASH)
            continue;
        ninho_filter *filter = family_filter(family, 10, .01, 0);
        ninho_filter *opened = NULL;
        ninho_open_options open = NINHO_OPEN_INIT;
        size_t size;
        uint8_t *bytes = encoded(filter, &size);
        test_where("%s", family->name);
        open.secret = secret;
        CHECK_STATUS(ninho_filter_decode(bytes, size, &open, &opened, NULL),
                     NINHO_ERR_KEY_UNUSED);
        CHECK(!opened);
        free(bytes);
        ninho_filter_free(filter);
    }
}

static void a_sealed_filter_says_maybe_and_can_be_united(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const ninho_spec spec = keyed_spec(family);
        ninho_open_options open = NINHO_OPEN_INIT;
        ninho_filter *filter = keyed(family);
        ninho_filter *sealed = NULL, *copy = NULL, *reopened = NULL;
        ninho_info info = NINHO_INFO_INIT;
        ninho_hasher hasher;
        size_t size;
        uint8_t key[16];
        uint8_t *bytes = encoded(filter, &size);
        test_where("%s", family->name);
        open.allow_sealed = true;
        CHECK_OK(ninho_filter_decode(bytes, size, &open, &sealed, NULL));
        CHECK_OK(ninho_filter_info(sealed, &info));
        CHECK(info.is_keyed && info.is_sealed && info.hash == NINHO_HASH_SIPHASH);
        CHECK_OK(ninho_filter_info(filter, &info));
        CHECK(info.is_keyed && !info.is_sealed);
        CHECK_OK(ninho_filter_verify(sealed, NULL));
        CHECK_STATUS(ninho_filter_hasher(sealed, &hasher), NINHO_ERR_KEY_MISSING);
        const struct family like = {.spec = spec};
        for (uint64_t i = 0; i < 400; i++) {
            const size_t n = family_key(&like, i, key);
            const void *keys[1] = {key};
            uint64_t maybe = 0;
            CHECK(ninho_filter_has_key(sealed, key, n));
            CHECK_U64(ninho_filter_has_keys(sealed, keys, &n, 1, &maybe), 1);
            CHECK_U64(maybe, 1);
            CHECK_STATUS(ninho_filter_add_key(sealed, key, n), NINHO_ERR_KEY_MISSING);
            CHECK_STATUS(ninho_filter_remove_key(sealed, key, n), NINHO_ERR_KEY_MISSING);
        }
        check_same_bytes(filter, sealed);
        check_same_answers(filter, sealed, &spec, 200); /* hashes can be asked */
        CHECK_OK(ninho_filter_copy(sealed, NULL, &copy, NULL));
        CHECK_STATUS(ninho_filter_hasher(copy, &hasher), NINHO_ERR_KEY_MISSING);
        if (ninho_kind_can(spec.kind) & NINHO_CAN_UNION) {
            CHECK_OK(ninho_filter_union(sealed, filter, NULL));
            const ninho_status status = ninho_filter_union(copy, sealed, NULL);
            CHECK(status == NINHO_OK ||
                  (status == NINHO_ERR_FULL && family_has_places(&like)));
        }
        free(bytes);
        bytes = encoded(copy, &size);
        open.secret = secret;
        CHECK_OK(ninho_filter_decode(bytes, size, &open, &reopened, NULL));
        check_range(reopened, &spec, 0, 200);
        free(bytes);
        ninho_filter_free(filter);
        ninho_filter_free(sealed);
        ninho_filter_free(copy);
        ninho_filter_free(reopened);
    }
}

/* How many bits of a Bloom table a key would set that are 0 now. */
static unsigned new_bits(const uint8_t *body, uint64_t n_bits, uint32_t k, uint64_t hash)
{
    unsigned n = 0;

    for (; k--; hash = nh_probe_next(hash)) {
        const uint64_t bit = nh_reduce(hash, n_bits);
        n += !(body[bit / 8] >> (bit % 8) & 1);
    }
    return n;
}

/* An adversary who knows the hash picks keys that set fresh bits only, and the filter fills up
 * twice as fast. Under a secret the same keys are like any others. */
static void chosen_keys_lose_their_power_under_a_secret(void **state)
{
    enum { N = 2000, TRIALS = 300 };
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *open = NULL, *defended = NULL;
    ninho_info info = NINHO_INFO_INIT;
    ninho_hasher hasher;
    int64_t key = 0;

    (void)state;
    test_where("bloom");
    spec.kind = NINHO_BLOOM;
    spec.capacity = N;
    spec.fpr = .01;
    spec.key_encoding = NINHO_KEY_INT64;
    CHECK_OK(ninho_filter_create(&spec, NULL, &open, NULL));
    spec.hash = NINHO_HASH_SIPHASH;
    spec.secret = secret;
    CHECK_OK(ninho_filter_create(&spec, NULL, &defended, NULL));
    CHECK_OK(ninho_filter_info(open, &info));
    CHECK_OK(ninho_filter_hasher(open, &hasher));
    const size_t size = (size_t)info.table_bytes + 2;
    uint8_t *body = malloc(size);
    CHECK(body);
    for (size_t i = 0; i < N; i++) {
        unsigned most = 0;
        int64_t best = key;
        CHECK_OK(ninho_filter_encode_bare(open, body, size, NULL));
        for (int trial = 0; trial < TRIALS && most < info.n_hashes; trial++, key++) {
            const unsigned n = new_bits(body, info.n_cells, info.n_hashes,
                                        ninho_hash_int64(&hasher, key));
            if (n > most) {
                most = n;
                best = key;
            }
        }
        ninho_hasher keyed_hasher;
        CHECK_OK(ninho_filter_hasher(defended, &keyed_hasher));
        CHECK_OK(ninho_filter_add(open, ninho_hash_int64(&hasher, best)));
        CHECK_OK(ninho_filter_add(defended, ninho_hash_int64(&keyed_hasher, best)));
    }
    CHECK_OK(ninho_filter_info(open, &info));
    CHECK(info.fpr_expected > 5 * .01);
    CHECK_OK(ninho_filter_info(defended, &info));
    CHECK(info.fpr_expected < 1.1 * .01);
    free(body);
    ninho_filter_free(open);
    ninho_filter_free(defended);
}

/* An allocator that looks at what it gets back. */
struct reader {
    ninho_alloc alloc;
    size_t n_freed, n_secrets;
};

static void *reader_alloc(void *context, size_t size)
{
    (void)context;
    return malloc(size);
}

static void reader_free(void *context, void *memory, size_t size)
{
    struct reader *reader = context;
    const uint8_t *bytes = memory;

    reader->n_freed++;
    for (size_t i = 0; i + sizeof secret <= size; i++)
        reader->n_secrets += memcmp(bytes + i, secret, sizeof secret) == 0;
    free(memory);
}

static void no_freed_memory_holds_the_secret(void **state)
{
    struct reader reader = {.alloc = {reader_alloc, reader_free, NULL}};

    (void)state;
    reader.alloc.context = &reader;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        const ninho_spec spec = keyed_spec(family);
        ninho_open_options open = NINHO_OPEN_INIT;
        ninho_filter *filter = NULL, *copy = NULL, *decoded = NULL;
        size_t size;
        test_where("%s", family->name);
        open.secret = secret;
        open.alloc = &reader.alloc;
        CHECK_OK(ninho_filter_create(&spec, &reader.alloc, &filter, NULL));
        add_range(filter, &spec, 0, 200);
        CHECK_OK(ninho_filter_copy(filter, &reader.alloc, &copy, NULL));
        uint8_t *bytes = encoded(filter, &size);
        CHECK_OK(ninho_filter_decode(bytes, size, &open, &decoded, NULL));
        free(bytes);
        reader.n_freed = 0;
        ninho_filter_free(filter);
        ninho_filter_free(copy);
        ninho_filter_free(decoded);
        CHECK(reader.n_freed >= 6);
        CHECK_U64(reader.n_secrets, 0);
    }
    test_where("dictionary");
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict *dict = NULL;
    spec.kind = NINHO_CHAIN;
    spec.hash = NINHO_HASH_SIPHASH;
    spec.secret = secret;
    CHECK_OK(ninho_dict_create(&spec, &reader.alloc, &dict, NULL));
    reader.n_freed = 0;
    ninho_dict_free(dict);
    CHECK(reader.n_freed > 0);
    CHECK_U64(reader.n_secrets, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creating_needs_the_secret),
        cmocka_unit_test(the_secret_is_nowhere_in_the_bytes),
        cmocka_unit_test(a_wrong_or_missing_secret_is_refused),
        cmocka_unit_test(a_secret_for_an_open_filter_is_refused),
        cmocka_unit_test(a_sealed_filter_says_maybe_and_can_be_united),
        cmocka_unit_test(chosen_keys_lose_their_power_under_a_secret),
        cmocka_unit_test(no_freed_memory_holds_the_secret),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
