/* SPDX-License-Identifier: MIT */
/* The edges of the dictionaries' interface: arguments that are missing, room that is not there,
 * copies that cannot be counted, sinks, sources and allocators that fail. */
#include <stdlib.h>
#include <string.h>

#include "conform/dicts.h"
#include "conform/frame_bytes.h"
#include "support/test.h"

#define FOR_EACH_DICT(config)                             \
    for (const struct dict_config *config = dict_configs; \
         config < dict_configs + n_dict_configs &&        \
         (test_where("%s", config->name), true);          \
         config++)

static ninho_dict *made(const struct dict_config *config, const ninho_alloc *alloc,
                        uint64_t n)
{
    const ninho_dict_spec spec = dict_spec_of(config);
    ninho_dict *dict = NULL;

    CHECK_OK(ninho_dict_create(&spec, alloc, &dict, NULL));
    for (uint64_t i = 0; i < n; i++) {
        uint8_t key[64];
        const size_t size = dict_key(config, i, key);
        CHECK_OK(ninho_dict_put(dict, key, size, i + 1, NULL));
    }
    return dict;
}

/* Keys 0 .. n - 1 are there with their values, and nothing else is. */
static void check_content(const struct dict_config *config, const ninho_dict *dict,
                          uint64_t n)
{
    CHECK_U64(ninho_dict_count(dict), n);
    for (uint64_t i = 0; i < n + 5; i++) {
        uint8_t key[64];
        uint64_t value = 0;
        const size_t size = dict_key(config, i, key);
        CHECK(ninho_dict_get(dict, key, size, &value) == (i < n));
        CHECK_U64(value, i < n ? i + 1 : 0);
    }
    CHECK_OK(ninho_dict_verify(dict, NULL));
}

static uint8_t *bytes_of(const ninho_dict *dict, size_t *size)
{
    *size = ninho_dict_encoded_size(dict);
    uint8_t *bytes = malloc(*size);
    CHECK(bytes);
    CHECK_OK(ninho_dict_encode(dict, bytes, *size, NULL));
    return bytes;
}

/* ---- Arguments ----------------------------------------------------------------------------- */

static ninho_status no_write(void *context, const void *bytes, size_t size,
                             ninho_error *error)
{
    (void)context, (void)bytes, (void)size, (void)error;
    return NINHO_OK;
}

static ninho_status no_read(void *context, void *bytes, size_t size, ninho_error *error)
{
    (void)context, (void)bytes, (void)size;
    return ninho_error_set(error, NINHO_ERR_IO, "nothing to read");
}

static void null_is_refused(void **state)
{
    ninho_dict *dict = made(&dict_configs[0], NULL, 3), *out = NULL;
    ninho_dict_info info = NINHO_DICT_INFO_INIT, none = {0};
    ninho_error error = NINHO_ERROR_INIT;
    uint64_t cursor = 0;
    size_t size = 0;

    (void)state;
    CHECK_U64(ninho_dict_encoded_size(NULL), 0);
    CHECK_STATUS(ninho_dict_encode(NULL, &info, sizeof info, &size), NINHO_ERR_ARG);
    CHECK_U64(size, 0);
    CHECK_STATUS(ninho_dict_encode(dict, NULL, SIZE_MAX, &size), NINHO_ERR_ARG);
    CHECK_U64(size, ninho_dict_encoded_size(dict));
    CHECK_STATUS(ninho_dict_write(NULL, no_write, NULL, &error), NINHO_ERR_ARG);
    CHECK(strstr(error.text, "dict"));
    CHECK_STATUS(ninho_dict_write(dict, NULL, NULL, &error), NINHO_ERR_ARG);
    CHECK(strstr(error.text, "write"));
    CHECK_STATUS(ninho_dict_decode(NULL, 9, NULL, &out, &error), NINHO_ERR_ARG);
    CHECK(strstr(error.text, "bytes"));
    CHECK_STATUS(ninho_dict_decode(NULL, 0, NULL, &out, &error), NINHO_ERR_FORMAT);
    CHECK_STATUS(ninho_dict_decode("x", 1, NULL, NULL, &error), NINHO_ERR_ARG);
    CHECK(strstr(error.text, "out"));
    CHECK_STATUS(ninho_dict_decode("x", 1, &(ninho_open_options){0}, &out, &error),
                 NINHO_ERR_ARG);
    CHECK_STATUS(ninho_dict_read(NULL, NULL, NULL, &out, &error), NINHO_ERR_ARG);
    CHECK(strstr(error.text, "read"));
    CHECK_STATUS(ninho_dict_read(no_read, NULL, NULL, NULL, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_dict_read(no_read, NULL, &(ninho_open_options){0}, &out, &error),
                 NINHO_ERR_ARG);
    CHECK_STATUS(ninho_dict_read(no_read, NULL, NULL, &out, &error), NINHO_ERR_IO);
    CHECK_STATUS(ninho_dict_reserve(NULL, 1), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_dict_clear(NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_dict_info_of(NULL, &info), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_dict_info_of(dict, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_dict_info_of(dict, &none), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_dict_verify(NULL, &error), NINHO_ERR_ARG);
    CHECK(!ninho_dict_next(NULL, &cursor, NULL, NULL, NULL) && cursor == 0);
    CHECK(!ninho_dict_next(dict, NULL, NULL, NULL, NULL));
    CHECK(!ninho_dict_kind_from_name(NULL) && !ninho_dict_kind_from_name("none"));
    CHECK(!out && ninho_dict_count(dict) == 3);
    ninho_dict_free(dict);
    CHECK_STATUS(ninho_dict_create(&(ninho_dict_spec){0}, NULL, &out, &error),
                 NINHO_ERR_ARG);
    CHECK(!out && strstr(error.text, "NINHO_DICT_SPEC_INIT"));
}

/* Questions about many keys answer "not there" for every one, rather than nothing. */
static void many_questions_without_keys_find_nothing(void **state)
{
    const void *const keys[] = {"aaaaaaaa", "bbbbbbbb"};
    const size_t sizes[] = {8, 8};
    uint64_t values[2], found;

    (void)state;
    FOR_EACH_DICT(config)
    {
        ninho_dict *dict = made(config, NULL, 5);
        for (int i = 0; i < 7; i++) {
            size_t n;
            found = UINT64_MAX;
            values[0] = values[1] = 7;
            switch (i) {
            case 0:
                n = ninho_dict_get_many(NULL, keys, sizes, 2, values, &found);
                break;
            case 1:
                n = ninho_dict_get_many(dict, NULL, sizes, 2, values, &found);
                break;
            case 2:
                n = ninho_dict_get_many(dict, keys, NULL, 2, values, &found);
                break;
            case 3:
                n = ninho_dict_get_array(NULL, "aaaa", 2, values, &found);
                break;
            case 4:
                n = ninho_dict_get_array(dict, NULL, 2, values, &found);
                break;
            case 5:
                n = ninho_dict_get_many(dict, keys, sizes, 2, values, &found);
                break;
            default:
                if (config->key_size)
                    continue;
                n = ninho_dict_get_array(dict, "aaaaaaaabbbbbbbb", 2, values, &found);
            }
            CHECK_U64(n, 0);
            CHECK_U64(found, 0);
            CHECK(values[0] == 0 && values[1] == 0);
        }
        CHECK_U64(ninho_dict_get_many(dict, keys, sizes, 2, NULL, NULL), 0);
        CHECK_U64(ninho_dict_get_many(dict, keys, sizes, 0, NULL, &found), 0);
        CHECK_U64(ninho_dict_get_array(dict, "aaaa", 2, NULL, NULL), 0);
        CHECK_U64(ninho_dict_get_array(dict, "aaaa", 0, NULL, &found), 0);
        /* Keys of sizes that cannot be there. */
        CHECK(!ninho_dict_get(dict, NULL, 8, NULL));
        CHECK(!ninho_dict_get(dict, "aaaaaaa", 7, NULL));
        CHECK_STATUS(ninho_dict_put(dict, NULL, 8, 1, NULL), NINHO_ERR_ARG);
        check_content(config, dict, 5);
        ninho_dict_free(dict);
    }
}

/* No bytes are a key where keys have any size, and "values" may be left out. */
static void the_empty_key_is_a_key(void **state)
{
    const void *const keys[] = {NULL, "x"};
    const size_t sizes[] = {0, 1};
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict *dict = NULL;
    uint64_t value = 0, found = 0;

    (void)state;
    spec.pages = NINHO_PAGES_SMALL;
    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    CHECK_OK(ninho_dict_put(dict, NULL, 0, 7, NULL));
    CHECK(ninho_dict_get(dict, "", 0, &value) && value == 7);
    CHECK_U64(ninho_dict_get_many(dict, keys, sizes, 2, NULL, &found), 1);
    CHECK_U64(found, 1);
    CHECK_OK(ninho_dict_remove(dict, NULL, 0));
    CHECK_U64(ninho_dict_count(dict), 0);
    ninho_dict_free(dict);
}

/* Where all keys have one size, a key of another is not there, whatever it begins with. */
static void a_key_of_another_size_is_not_there(void **state)
{
    (void)state;
    for (size_t i = 0; ninho_dict_kind_at(i); i++) {
        for (uint32_t size = 7; size <= 9; size++) {
            ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
            ninho_dict *dict = NULL;
            uint64_t value = 5;
            spec.kind = ninho_dict_kind_at(i);
            spec.key_size = size;
            test_where("%s, %u bytes", ninho_dict_kind_name(spec.kind), (unsigned)size);
            CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
            CHECK_OK(ninho_dict_put(dict, "0123456789", size, 1, NULL));
            for (size_t n = 0; n <= 10; n++)
                CHECK(ninho_dict_get(dict, "0123456789", n, &value) == (n == size));
            CHECK_U64(value, 1);
            ninho_dict_free(dict);
        }
    }
}

static void every_kind_has_a_name_and_a_summary(void **state)
{
    ninho_dict_kind kind;

    (void)state;
    for (size_t i = 0; (kind = ninho_dict_kind_at(i)) != 0; i++) {
        CHECK(ninho_dict_kind_from_name(ninho_dict_kind_name(kind)) == kind);
        CHECK(strlen(ninho_dict_kind_summary(kind)) > 10);
    }
    CHECK(!ninho_dict_kind_name(kind) && !ninho_dict_kind_summary(kind));
}

/* ---- Room ---------------------------------------------------------------------------------- */

static void room_is_made_or_nothing_changes(void **state)
{
    (void)state;
    FOR_EACH_DICT(config)
    {
        ninho_dict_info before = NINHO_DICT_INFO_INIT, after = NINHO_DICT_INFO_INIT;
        ninho_dict *dict = made(config, NULL, 50);
        CHECK_OK(ninho_dict_info_of(dict, &before));
        CHECK_OK(ninho_dict_reserve(dict, 0));
        CHECK_OK(ninho_dict_reserve(dict, 50));
        CHECK_STATUS(ninho_dict_reserve(dict, (UINT64_C(1) << 48) + 1), NINHO_ERR_NOMEM);
        CHECK_STATUS(ninho_dict_reserve(dict, UINT64_C(1) << 48), NINHO_ERR_NOMEM);
        CHECK_OK(ninho_dict_info_of(dict, &after));
        CHECK_U64(after.n_slots, before.n_slots);
        CHECK_U64(after.memory_bytes, before.memory_bytes);
        CHECK_OK(ninho_dict_reserve(dict, 5000));
        CHECK_OK(ninho_dict_info_of(dict, &after));
        CHECK(after.n_slots >= 5000);
        CHECK_OK(ninho_dict_reserve(dict, 5000)); /* it is there */
        check_content(config, dict, 50);
        ninho_dict_free(dict);
    }
}

static void bounds_bound_what_is_reserved(void **state)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict *dict = NULL;

    (void)state;
    spec.max_capacity = 100;
    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    CHECK_OK(ninho_dict_reserve(dict, 100));
    CHECK_STATUS(ninho_dict_reserve(dict, 101), NINHO_ERR_FULL);
    ninho_dict_free(dict);
    spec = (ninho_dict_spec)NINHO_DICT_SPEC_INIT;
    spec.kind = NINHO_CUCKOO_TABLE;
    spec.n_buckets = 10;
    spec.bucket_size = 2;
    spec.stash_size = 3;
    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    CHECK_OK(ninho_dict_reserve(dict, 23));
    CHECK_STATUS(ninho_dict_reserve(dict, 24), NINHO_ERR_FULL);
    ninho_dict_free(dict);
    spec = (ninho_dict_spec)NINHO_DICT_SPEC_INIT;
    spec.kind = NINHO_CHAIN;
    spec.places = (ninho_dict_places)(void (*)(void))no_write; /* never called */
    dict = NULL;
    CHECK_STATUS(ninho_dict_create(&spec, NULL, &dict, NULL), NINHO_ERR_ARG);
    CHECK(!dict);
}

/* Growing, clearing and reserving under an allocator that fails at every call in turn. */
static void without_memory_everything_is_as_it_was(void **state)
{
    (void)state;
    FOR_EACH_DICT(config)
    {
        struct test_heap heap;
        heap_init(&heap);
        ninho_dict *dict = made(config, &heap.alloc, 40);
        for (size_t n = 1;; n++) {
            heap_fail_at(&heap, n);
            const ninho_status status = ninho_dict_reserve(dict, 10000);
            if (status == NINHO_OK)
                break;
            CHECK_STATUS(status, NINHO_ERR_NOMEM);
            check_content(config, dict, 40);
        }
        check_content(config, dict, 40);
        for (size_t n = 1;; n++) {
            heap_fail_at(&heap, n);
            const ninho_status status = ninho_dict_clear(dict);
            if (status == NINHO_OK)
                break;
            CHECK_STATUS(status, NINHO_ERR_NOMEM);
            check_content(config, dict, 40);
        }
        heap_fail_at(&heap, 0);
        check_content(config, dict, 0);
        ninho_dict_free(dict);
        CHECK_U64(heap.live_blocks, 0);
    }
}

/* ---- Copies -------------------------------------------------------------------------------- */

static void copies_are_counted_as_far_as_64_bits_go(void **state)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict *dict = NULL;

    (void)state;
    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    CHECK_OK(ninho_dict_put(dict, "wren", 4, 0, NULL)); /* 0 is one copy, too */
    CHECK_U64(ninho_dict_copies(dict, "wren", 4), 1);
    CHECK_U64(ninho_dict_copies(dict, "robin", 5), 0);
    CHECK_OK(ninho_dict_add_copies(dict, "wren", 4, 0));
    CHECK_OK(ninho_dict_add_copies(dict, "robin", 5, 0)); /* and is not there now */
    CHECK_U64(ninho_dict_count(dict), 1);
    CHECK_OK(ninho_dict_add_copies(dict, "wren", 4, UINT64_MAX - 1));
    CHECK_U64(ninho_dict_copies(dict, "wren", 4), UINT64_MAX);
    CHECK_STATUS(ninho_dict_add_copies(dict, "wren", 4, 1), NINHO_ERR_FULL);
    CHECK_U64(ninho_dict_copies(dict, "wren", 4), UINT64_MAX);
    CHECK_OK(ninho_dict_take_copies(dict, "wren", 4, 0));
    CHECK_STATUS(ninho_dict_take_copies(dict, "robin", 5, 0), NINHO_ERR_NOT_FOUND);
    CHECK_STATUS(ninho_dict_take_copies(dict, "robin", 5, 1), NINHO_ERR_NOT_FOUND);
    CHECK_OK(ninho_dict_take_copies(dict, "wren", 4, UINT64_MAX - 2));
    CHECK_STATUS(ninho_dict_take_copies(dict, "wren", 4, 3), NINHO_ERR_NOT_FOUND);
    CHECK_U64(ninho_dict_copies(dict, "wren", 4), 2);
    CHECK_OK(ninho_dict_take_copies(dict, "wren", 4, 2));
    CHECK_U64(ninho_dict_count(dict), 0);
    ninho_dict_free(dict);
}

/* ---- Streams ------------------------------------------------------------------------------- */

struct sink {
    size_t n_calls, fail_at;
};

static ninho_status count_or_fail(void *context, const void *bytes, size_t size,
                                  ninho_error *error)
{
    struct sink *sink = context;

    CHECK(bytes && size);
    if (++sink->n_calls == sink->fail_at)
        return ninho_error_set(error, NINHO_ERR_IO, "the sink is full");
    return NINHO_OK;
}

/* A function that fails is not called again, and what it said is passed on. */
static void a_sink_that_fails_ends_the_writing(void **state)
{
    static uint8_t long_key[9000];

    (void)state;
    FOR_EACH_DICT(config)
    {
        ninho_dict *dict = made(config, NULL, 900);
        struct sink sink = {0};
        if (!config->key_size)
            CHECK_OK(ninho_dict_put(dict, long_key, sizeof long_key, 1, NULL));
        CHECK_OK(ninho_dict_write(dict, count_or_fail, &sink, NULL));
        const size_t n_calls = sink.n_calls;
        CHECK(n_calls > 2);
        for (size_t n = 1; n <= n_calls; n++) {
            ninho_error error = NINHO_ERROR_INIT;
            sink = (struct sink){.fail_at = n};
            CHECK_STATUS(ninho_dict_write(dict, count_or_fail, &sink, &error),
                         NINHO_ERR_IO);
            CHECK_U64(sink.n_calls, n);
            CHECK(strstr(error.text, "the sink is full"));
        }
        ninho_dict_free(dict);
    }
}

struct stream {
    const uint8_t *bytes;
    size_t size, at;
};

static ninho_status from_stream(void *context, void *bytes, size_t size,
                                ninho_error *error)
{
    struct stream *stream = context;

    if (size > stream->size - stream->at)
        return ninho_error_set(error, NINHO_ERR_IO, "the stream has ended");
    memcpy(bytes, stream->bytes + stream->at, size);
    stream->at += size;
    return NINHO_OK;
}

static void a_stream_is_read_whole_or_not_at_all(void **state)
{
    (void)state;
    FOR_EACH_DICT(config)
    {
        ninho_open_options options = dict_options_of(config);
        ninho_dict *dict = made(config, NULL, 60), *again = NULL;
        struct test_heap heap;
        size_t size;
        uint8_t *bytes = bytes_of(dict, &size);
        heap_init(&heap);
        options.alloc = &heap.alloc;
        for (size_t n = 0; n < size; n += 1 + n / 3) {
            struct stream stream = {bytes, n, 0};
            CHECK_STATUS(ninho_dict_read(from_stream, &stream, &options, &again, NULL),
                         NINHO_ERR_IO);
            CHECK(!again && !heap.live_blocks);
        }
        for (size_t n = 1; !again; n++) {
            struct stream stream = {bytes, size, 0};
            heap_fail_at(&heap, n);
            const ninho_status status =
                ninho_dict_read(from_stream, &stream, &options, &again, NULL);
            CHECK_STATUS(status, again ? NINHO_OK : NINHO_ERR_NOMEM);
            CHECK(again || !heap.live_blocks);
        }
        heap_fail_at(&heap, 0);
        check_content(config, again, 60);
        ninho_dict_free(again);
        again = NULL;
        for (size_t n = 1; !again; n++) {
            heap_fail_at(&heap, n);
            const ninho_status status =
                ninho_dict_decode(bytes, size, &options, &again, NULL);
            CHECK_STATUS(status, again ? NINHO_OK : NINHO_ERR_NOMEM);
        }
        heap_fail_at(&heap, 0);
        check_content(config, again, 60);
        ninho_dict_free(again);
        CHECK_U64(heap.live_blocks, 0);
        ninho_dict_free(dict);
        free(bytes);
    }
}

/* ---- Bytes that contradict themselves ------------------------------------------------------ */

struct lie {
    size_t at;
    unsigned size;
    uint64_t value;
};

/* The same file with one or two numbers in it changed, and the checksums made to fit. */
static void check_refused(const uint8_t *bytes, size_t size, const struct lie *lies,
                          size_t n_lies, const char *text)
{
    ninho_error error = NINHO_ERROR_INIT;
    ninho_dict *dict = NULL;
    uint8_t *lying = malloc(size);

    CHECK(lying);
    memcpy(lying, bytes, size);
    for (size_t i = 0; i < n_lies; i++)
        set_field(lying, lies[i].at, lies[i].size, lies[i].value);
    fix_checksums(lying, size);
    test_where("%u bytes at %zu, \"%s\"", lies[0].size, lies[0].at, text);
    CHECK_STATUS(ninho_dict_decode(lying, size, NULL, &dict, &error), NINHO_ERR_FORMAT);
    CHECK(!dict && strstr(error.text, text));
    free(lying);
}

static void a_header_that_contradicts_itself_is_refused(void **state)
{
    const struct dict_config any = {"cuckoo", NINHO_CUCKOO_TABLE, 8, 2, 4, 1, 1, 0};
    ninho_dict *dict = made(&any, NULL, 12);
    const size_t words = PARTS_AT + 32;
    size_t size;
    uint8_t *bytes = bytes_of(dict, &size);
    const uint64_t word = get_field(bytes, words, 8);
    const struct {
        struct lie lies[2];
        size_t n;
        const char *text;
    } cases[] = {
        {{{48, 8, UINT64_C(0x3fe0000000000000)}}, 1, "fpr"},
        {{{32, 8, 13}}, 1, "capacity"},
        {{{32, 8, 13}, {PARTS_AT + 8, 8, 13}}, 2, "capacity"},
        {{{40, 8, 13}}, 1, "count"},
        {{{56, 4, 1}}, 1, "flags"},
        {{{88, 8, 1}}, 1, "option word"},
        {{{24, 8, 1}}, 1, "key check"},
        {{{PARTS_AT, 2, NINHO_CHAIN}}, 1, "kind of a part"},
        {{{words, 8, word | UINT64_C(1) << 56}}, 1, "option"},
        {{{words, 8, (word & ~UINT64_C(0xffff)) | 2000}}, 1, "count"}, /* key size */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_refused(bytes, size, cases[i].lies, cases[i].n, cases[i].text);
    /* A hash and a key encoding that only a newer ninho may know. */
    for (size_t at = 14; at <= 15; at++) {
        ninho_dict *none = NULL;
        const uint8_t before = bytes[at];
        bytes[at] = 99;
        fix_checksums(bytes, size);
        CHECK_STATUS(ninho_dict_decode(bytes, size, NULL, &none, NULL),
                     NINHO_ERR_VERSION);
        CHECK(!none);
        bytes[at] = before;
    }
    free(bytes);
    ninho_dict_free(dict);
}

/* Two tables, as a scalable filter has, are not a dictionary's. */
static void more_parts_than_one_are_refused(void **state)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;
    size_t size;

    (void)state;
    spec.kind = NINHO_SCALABLE;
    spec.capacity = 10;
    spec.fpr = .01;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    for (uint64_t i = 0; i < 100; i++)
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    uint8_t *bytes = encoded(filter, &size);
    check_refused(bytes, size, &(struct lie){12, 2, NINHO_PROBE}, 1, "number of parts");
    free(bytes);
    ninho_filter_free(filter);
}

/* Keys of any size: the first is 0 bytes long, then 1, then others. */
static void keys_that_do_not_fill_the_file_are_refused(void **state)
{
    const struct dict_config any = {"any size", NINHO_CHAIN, 0, 0, 0, 0, 0, 0};
    ninho_dict *dict = made(&any, NULL, 3);
    size_t size;
    uint8_t *bytes = bytes_of(dict, &size);
    const size_t body = (size_t)get_field(bytes, 8, 4);

    (void)state;
    check_refused(bytes, size, &(struct lie){body + 16, 8, 0}, 1, "twice");
    check_refused(bytes, size, &(struct lie){body + 33, 8, 1}, 1, "trailing byte");
    check_refused(bytes, size, &(struct lie){body + 33, 8, 1 << 20}, 1, "past the end");
    check_refused(bytes, size, &(struct lie){body + 33, 8, UINT64_MAX}, 1,
                  "past the end");
    free(bytes);
    ninho_dict_free(dict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_is_refused),
        cmocka_unit_test(many_questions_without_keys_find_nothing),
        cmocka_unit_test(the_empty_key_is_a_key),
        cmocka_unit_test(a_key_of_another_size_is_not_there),
        cmocka_unit_test(every_kind_has_a_name_and_a_summary),
        cmocka_unit_test(room_is_made_or_nothing_changes),
        cmocka_unit_test(bounds_bound_what_is_reserved),
        cmocka_unit_test(without_memory_everything_is_as_it_was),
        cmocka_unit_test(copies_are_counted_as_far_as_64_bits_go),
        cmocka_unit_test(a_sink_that_fails_ends_the_writing),
        cmocka_unit_test(a_stream_is_read_whole_or_not_at_all),
        cmocka_unit_test(a_header_that_contradicts_itself_is_refused),
        cmocka_unit_test(more_parts_than_one_are_refused),
        cmocka_unit_test(keys_that_do_not_fill_the_file_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
