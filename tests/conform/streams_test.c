/* SPDX-License-Identifier: MIT */
/* Filters and dictionaries written to a function and read from one. */
#include <stdlib.h>
#include <string.h>

#include "conform/dicts.h"
#include "conform/families.h"
#include "conform/frame_bytes.h"

/* Bytes that are given out, or taken in, with some care. */
struct pipe {
    uint8_t *bytes;
    size_t size; /* there are, or there is room for */
    size_t at;
    size_t most; /* calls that succeed; 0: all */
    size_t n_calls;
};

static ninho_status take(void *context, const void *bytes, size_t size,
                         ninho_error *error)
{
    struct pipe *pipe = context;

    if (pipe->most && pipe->n_calls++ >= pipe->most)
        return ninho_error_set(error, NINHO_ERR_SPACE, "no more");
    CHECK(size && size <= pipe->size - pipe->at);
    memcpy(pipe->bytes + pipe->at, bytes, size);
    pipe->at += size;
    return NINHO_OK;
}

static ninho_status give(void *context, void *bytes, size_t size, ninho_error *error)
{
    struct pipe *pipe = context;

    if (size > pipe->size - pipe->at)
        return ninho_error_set(error, NINHO_ERR_FORMAT, "that was all");
    memcpy(bytes, pipe->bytes + pipe->at, size);
    pipe->at += size;
    return NINHO_OK;
}

static ninho_filter *small(const struct family *family)
{
    const bool can_grow = family_can(family) & NINHO_CAN_GROW;
    const ninho_spec spec = family_spec(family, 8, .1, 1);
    ninho_filter *filter = family_filter(family, 8, .1, 1);

    add_range(filter, &spec, 0, can_grow ? 40 : 8);
    CHECK_OK(ninho_filter_set_meta(filter, "k", "v"));
    CHECK_OK(ninho_filter_set_attachment(filter, "eggs", 4));
    return filter;
}

static void what_is_written_is_the_encoding_and_is_read_back(void **state)
{
    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        ninho_filter *filter = small(family), *read = NULL;
        const ninho_open_options open = family_open(family, 1);
        size_t size;
        test_where("%s", family->name);
        uint8_t *bytes = encoded(filter, &size);
        struct pipe out = {.bytes = malloc(size), .size = size};
        CHECK(out.bytes);
        CHECK_OK(ninho_filter_write(filter, take, &out, NULL));
        CHECK(out.at == size && memcmp(out.bytes, bytes, size) == 0);
        free(out.bytes);
        /* Something else follows, and is left alone. */
        struct pipe in = {.bytes = calloc(1, size + 9), .size = size + 9};
        CHECK(in.bytes);
        memcpy(in.bytes, bytes, size);
        CHECK_OK(ninho_filter_read(give, &in, &open, &read, NULL));
        CHECK_U64(in.at, size);
        check_same_bytes(filter, read);
        free(in.bytes);
        free(bytes);
        ninho_filter_free(read);
        ninho_filter_free(filter);
    }
}

static void a_writer_that_gives_up_is_believed(void **state)
{
    ninho_filter *filter = small(&families[0]);
    ninho_error error = NINHO_ERROR_INIT;
    uint8_t bytes[4096];

    (void)state;
    for (size_t most = 1; most < 3; most++) {
        struct pipe out = {.bytes = bytes, .size = sizeof bytes, .most = most};
        CHECK_STATUS(ninho_filter_write(filter, take, &out, &error), NINHO_ERR_SPACE);
        CHECK(strcmp(error.text, "no more") == 0);
        CHECK_U64(out.n_calls, most + 1);
    }
    CHECK_STATUS(ninho_filter_write(NULL, take, NULL, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_write(filter, NULL, NULL, &error), NINHO_ERR_ARG);
    ninho_filter_free(filter);
}

/* A stream that ends at any byte, and memory that ends at any call: an error, and no leak. */
static void a_stream_that_ends_is_an_error(void **state)
{
    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        ninho_filter *filter = small(family), *read = NULL;
        ninho_open_options open = family_open(family, 1);
        struct test_heap heap;
        size_t size;
        uint8_t *bytes = encoded(filter, &size);
        for (size_t n = 0; n < size; n++) {
            ninho_error error = NINHO_ERROR_INIT;
            struct pipe in = {.bytes = bytes, .size = n};
            test_where("%s: %zu of %zu bytes", family->name, n, size);
            heap_init(&heap);
            open.alloc = &heap.alloc;
            CHECK_STATUS(ninho_filter_read(give, &in, &open, &read, &error),
                         NINHO_ERR_FORMAT);
            CHECK(strcmp(error.text, "that was all") == 0);
            CHECK(!read && heap.live_blocks == 0);
        }
        ninho_status status = NINHO_ERR_NOMEM;
        for (size_t n = 1; status; n++) {
            struct pipe in = {.bytes = bytes, .size = size};
            test_where("%s: call %zu fails", family->name, n);
            heap_init(&heap);
            heap_fail_at(&heap, n);
            status = ninho_filter_read(give, &in, &open, &read, NULL);
            CHECK(status == NINHO_OK || status == NINHO_ERR_NOMEM);
            CHECK(status == NINHO_OK || heap.live_blocks == 0);
        }
        ninho_filter_free(read);
        free(bytes);
        ninho_filter_free(filter);
    }
}

static void flipped_bits_are_noticed(void **state)
{
    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        ninho_filter *filter = small(family), *read = NULL;
        const ninho_open_options open = family_open(family, 1);
        size_t size;
        uint8_t *bytes = encoded(filter, &size);
        for (size_t i = 0; i < size; i++) {
            struct pipe in = {.bytes = bytes, .size = size};
            test_where("%s: byte %zu", family->name, i);
            bytes[i] ^= 4;
            CHECK(ninho_filter_read(give, &in, &open, &read, NULL) && !read);
            bytes[i] ^= 4;
        }
        free(bytes);
        ninho_filter_free(filter);
    }
}

/* ---- Memory -------------------------------------------------------------------------------- */

/* More than 32 bits can address is refused before the stream is read on. */
#define CLAIM_REFUSED (SIZE_MAX > UINT32_MAX ? NINHO_ERR_FORMAT : NINHO_ERR_NOMEM)
#define STEP          ((size_t)1 << 20)

/* A header that speaks of 1 TiB, and some bytes after it. */
static void a_claim_without_bytes_takes_no_memory(void **state)
{
    static const size_t sent[] = {0, 100, 3 * STEP, 5 * STEP};
    const uint64_t claim = UINT64_C(1) << 40;
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter;
    size_t size;

    (void)state;
    spec.kind = NINHO_BLOOM;
    spec.capacity = 100;
    spec.n_bits = 64;
    spec.n_hashes = 2;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    uint8_t *bytes = encoded(filter, &size);
    set_field(bytes, 64, 8, claim);                /* body size */
    set_field(bytes, PARTS_AT + 24, 8, 8 * claim); /* cells */
    set_field(bytes, PARTS_AT + 56, 8, claim);     /* size */
    fix_checksums(bytes, 192);
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++) {
        struct test_heap heap;
        ninho_open_options open = NINHO_OPEN_INIT;
        ninho_filter *read = NULL;
        ninho_error error = NINHO_ERROR_INIT;
        struct pipe in = {.bytes = calloc(1, 192 + sent[i]), .size = 192 + sent[i]};
        CHECK(in.bytes);
        memcpy(in.bytes, bytes, 192);
        heap_init(&heap);
        open.alloc = &heap.alloc;
        const ninho_status status = ninho_filter_read(give, &in, &open, &read, &error);
        CHECK_STATUS(status, CLAIM_REFUSED);
        CHECK(status != NINHO_ERR_FORMAT || strcmp(error.text, "that was all") == 0);
        CHECK(heap.peak_bytes <= 4 * sent[i] + STEP + (24 << 10));
        CHECK_U64(heap.live_blocks, 0);
        free(in.bytes);
    }
    free(bytes);
    ninho_filter_free(filter);
}

/* Tables of all sizes around the steps in which memory is taken. */
static void large_tables_come_through(void **state)
{
    static const size_t sizes[] = {STEP - 1,     STEP,         STEP + 1,    2 * STEP - 1,
                                   2 * STEP,     2 * STEP + 1, 4 * STEP,    4 * STEP + 1,
                                   5 * STEP + 7, 8 * STEP,     9 * STEP + 1};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ninho_spec spec = NINHO_SPEC_INIT;
        ninho_open_options open = NINHO_OPEN_INIT;
        ninho_filter *filter, *read;
        struct test_heap heap;
        size_t size;
        test_where("%zu bytes", sizes[i]);
        spec.kind = NINHO_BLOOM;
        spec.capacity = 1000;
        spec.n_bits = 8 * (uint64_t)sizes[i];
        spec.n_hashes = 3;
        CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
        for (uint64_t key = 0; key < 1000; key++)
            CHECK_OK(ninho_filter_add(filter, mix64(key)));
        struct pipe in = {.bytes = encoded(filter, &size)};
        in.size = size;
        heap_init(&heap);
        open.alloc = &heap.alloc;
        CHECK_OK(ninho_filter_read(give, &in, &open, &read, NULL));
        CHECK(heap.peak_bytes <= 2 * size + STEP);
        check_same_bytes(filter, read);
        ninho_filter_free(read);
        CHECK_U64(heap.live_blocks, 0);
        free(in.bytes);
        ninho_filter_free(filter);
    }
}

/* ---- Dictionaries -------------------------------------------------------------------------- */

static void dictionaries_come_through(void **state)
{
    (void)state;
    for (size_t c = 0; c < n_dict_configs; c++) {
        const struct dict_config *config = &dict_configs[c];
        const ninho_dict_spec spec = dict_spec_of(config);
        ninho_open_options open = dict_options_of(config);
        ninho_dict *dict, *read = NULL;
        uint8_t key[64];
        struct test_heap heap;
        test_where("%s", config->name);
        CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
        for (uint64_t i = 0; i < 50; i++)
            CHECK_OK(ninho_dict_put(dict, key, dict_key(config, i, key), i, NULL));
        const size_t size = ninho_dict_encoded_size(dict);
        uint8_t *bytes = malloc(size);
        struct pipe out = {.bytes = malloc(size), .size = size};
        CHECK(bytes && out.bytes);
        CHECK_OK(ninho_dict_encode(dict, bytes, size, NULL));
        CHECK_OK(ninho_dict_write(dict, take, &out, NULL));
        CHECK(out.at == size && memcmp(out.bytes, bytes, size) == 0);
        heap_init(&heap);
        open.alloc = &heap.alloc;
        for (size_t n = 0; n < size; n++) {
            struct pipe in = {.bytes = bytes, .size = n};
            CHECK_STATUS(ninho_dict_read(give, &in, &open, &read, NULL),
                         NINHO_ERR_FORMAT);
            CHECK(!read && heap.live_blocks == 0);
        }
        struct pipe in = {.bytes = bytes, .size = size};
        CHECK_OK(ninho_dict_read(give, &in, &open, &read, NULL));
        for (uint64_t i = 0; i < 50; i++) {
            uint64_t value;
            CHECK(ninho_dict_get(read, key, dict_key(config, i, key), &value) &&
                  value == i);
        }
        CHECK_U64(ninho_dict_count(read), 50);
        ninho_dict_free(read);
        CHECK_U64(heap.live_blocks, 0);
        free(bytes);
        free(out.bytes);
        ninho_dict_free(dict);
    }
}

static void a_dictionary_s_claim_takes_no_memory(void **state)
{
    const uint64_t count = UINT64_C(1) << 36;
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_open_options open = NINHO_OPEN_INIT;
    ninho_dict *dict, *read = NULL;
    struct test_heap heap;
    uint8_t bytes[192 + 100] = {0};

    (void)state;
    spec.kind = NINHO_PROBE;
    spec.key_size = 8;
    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    CHECK_OK(ninho_dict_encode(dict, bytes, sizeof bytes, NULL));
    set_field(bytes, 32, 8, count);
    set_field(bytes, 40, 8, count);
    set_field(bytes, 64, 8, 16 * count);
    set_field(bytes, PARTS_AT + 8, 8, count);
    set_field(bytes, PARTS_AT + 16, 8, count);
    set_field(bytes, PARTS_AT + 24, 8, count);
    set_field(bytes, PARTS_AT + 56, 8, 16 * count);
    fix_checksums(bytes, 192);
    struct pipe in = {.bytes = bytes, .size = sizeof bytes};
    heap_init(&heap);
    open.alloc = &heap.alloc;
    CHECK_STATUS(ninho_dict_read(give, &in, &open, &read, NULL), CLAIM_REFUSED);
    CHECK_U64(in.at, 192);
    CHECK(!read && heap.peak_bytes <= STEP && heap.live_blocks == 0);
    ninho_dict_free(dict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_the_encoding_and_is_read_back),
        cmocka_unit_test(a_writer_that_gives_up_is_believed),
        cmocka_unit_test(a_stream_that_ends_is_an_error),
        cmocka_unit_test(flipped_bits_are_noticed),
        cmocka_unit_test(a_claim_without_bytes_takes_no_memory),
        cmocka_unit_test(large_tables_come_through),
        cmocka_unit_test(dictionaries_come_through),
        cmocka_unit_test(a_dictionary_s_claim_takes_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
