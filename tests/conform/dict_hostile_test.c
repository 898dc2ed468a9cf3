/* SPDX-License-Identifier: MIT */
/* Bytes from outside: whatever they are, a dictionary is opened whole or refused, and no
 * number in them makes the library ask for more memory than they could hold. */
#include <stdlib.h>
#include <string.h>

#include "conform/dicts.h"
#include "conform/frame_bytes.h"
#include "support/test.h"

static uint8_t *small_file(const struct dict_config *config, size_t *size)
{
    const ninho_dict_spec spec = dict_spec_of(config);
    ninho_dict *dict = NULL;

    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    for (uint64_t i = 0; i < 12; i++) {
        uint8_t key[64];
        const size_t key_size = dict_key(config, i, key);
        CHECK_OK(ninho_dict_put(dict, key, key_size, i, NULL));
    }
    *size = ninho_dict_encoded_size(dict);
    uint8_t *bytes = malloc(*size);
    CHECK(bytes);
    CHECK_OK(ninho_dict_encode(dict, bytes, *size, NULL));
    ninho_dict_free(dict);
    return bytes;
}

/* Decodes; what is accepted must be sound. Memory is bounded whatever the bytes say. */
static ninho_status try_bytes(const struct dict_config *config, const uint8_t *bytes,
                              size_t size)
{
    ninho_open_options options = dict_options_of(config);
    ninho_dict *dict = NULL;
    struct test_heap heap;

    heap_init(&heap);
    options.alloc = &heap.alloc;
    const ninho_status status = ninho_dict_decode(bytes, size, &options, &dict, NULL);
    if (!status) {
        CHECK_OK(ninho_dict_verify(dict, NULL));
        ninho_dict_free(dict);
    }
    CHECK_U64(heap.live_blocks, 0);
    CHECK(heap.peak_bytes < 64 * size + 65536);
    return status;
}

static void cut_at_any_byte_it_is_refused(void **state)
{
    (void)state;
    for (size_t c = 0; c < n_dict_configs; c++) {
        size_t size;
        uint8_t *bytes = small_file(&dict_configs[c], &size);
        CHECK_OK(try_bytes(&dict_configs[c], bytes, size));
        for (size_t n = 0; n < size; n++) {
            uint8_t *cut =
                malloc(n ? n : 1); /* so that a sanitizer sees the first byte past */
            CHECK(cut);
            memcpy(cut, bytes, n);
            test_where("%s, cut at %zu", dict_configs[c].name, n);
            CHECK(try_bytes(&dict_configs[c], cut, n) != NINHO_OK);
            free(cut);
        }
        free(bytes);
    }
}

static void any_bit_flipped_is_refused(void **state)
{
    (void)state;
    for (size_t c = 0; c < n_dict_configs; c++) {
        size_t size;
        uint8_t *bytes = small_file(&dict_configs[c], &size);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            bytes[bit / 8] ^= (uint8_t)(1U << (bit % 8));
            test_where("%s, bit %zu flipped", dict_configs[c].name, bit);
            CHECK(try_bytes(&dict_configs[c], bytes, size) != NINHO_OK);
            bytes[bit / 8] ^= (uint8_t)(1U << (bit % 8));
        }
        free(bytes);
    }
}

static void a_lying_field_with_right_checksums_is_refused_or_harmless(void **state)
{
    static const uint64_t lies[] = {
        0, 1, 7, 255, UINT64_C(1) << 31, UINT32_MAX, UINT64_C(1) << 62, UINT64_MAX};

    (void)state;
    for (size_t c = 0; c < n_dict_configs; c++) {
        size_t size;
        uint8_t *bytes = small_file(&dict_configs[c], &size);
        uint8_t *lying = malloc(size);
        CHECK(lying);
        /* Every aligned number of the header, and the first of the body: sizes of
         * keys. */
        for (size_t at = 8; at + 8 <= size && at < 256; at += 4)
            for (size_t l = 0; l < sizeof lies / sizeof *lies; l++)
                for (unsigned width = 1; width <= 8; width *= 2) {
                    memcpy(lying, bytes, size);
                    set_field(lying, at, width, lies[l]);
                    fix_checksums(lying, size);
                    test_where("%s, %u bytes at %zu set to %llx", dict_configs[c].name,
                               width, at, (unsigned long long)lies[l]);
                    (void)try_bytes(&dict_configs[c], lying, size);
                }
        free(lying);
        free(bytes);
    }
}

static void a_filter_is_no_dictionary_and_the_other_way_round(void **state)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;
    size_t size;

    (void)state;
    test_where("a filter opened as a dictionary");
    spec.kind = NINHO_BLOOM;
    spec.capacity = 10;
    spec.fpr = 0.1;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    uint8_t *bytes = encoded(filter, &size);
    CHECK_STATUS(try_bytes(&dict_configs[0], bytes, size), NINHO_ERR_VERSION);
    ninho_filter_free(filter);
    free(bytes);
    bytes = small_file(&dict_configs[0], &size);
    filter = NULL;
    CHECK_STATUS(ninho_filter_decode(bytes, size, NULL, &filter, NULL),
                 NINHO_ERR_VERSION);
    free(bytes);
}

static void a_wrong_or_missing_secret_is_refused(void **state)
{
    const uint8_t wrong[NINHO_SECRET_BYTES] = {0};

    (void)state;
    for (size_t c = 0; c < n_dict_configs; c++) {
        const bool is_keyed = dict_configs[c].hash == NINHO_HASH_SIPHASH;
        ninho_open_options options = NINHO_OPEN_INIT;
        ninho_dict *dict = NULL;
        size_t size;
        uint8_t *bytes = small_file(&dict_configs[c], &size);
        test_where("%s", dict_configs[c].name);
        if (is_keyed)
            CHECK_STATUS(ninho_dict_decode(bytes, size, &options, &dict, NULL),
                         NINHO_ERR_KEY_MISSING);
        options.secret = wrong;
        CHECK_STATUS(ninho_dict_decode(bytes, size, &options, &dict, NULL),
                     is_keyed ? NINHO_ERR_KEY_WRONG : NINHO_ERR_KEY_UNUSED);
        CHECK(!dict);
        free(bytes);
    }
}

/* docs/format.md lets a writer leave numbers of a cuckoo table open: the reader chooses. */
static void what_the_writer_left_open_the_reader_chooses(void **state)
{
    enum { N_HASHES = PARTS_AT + 4, WORD_0 = PARTS_AT + 32 };
    static const uint64_t open[] = {0xffULL << 16, 0xffULL << 24, 0xffffULL << 40,
                                    0xffffULL << 16 | 0xffffULL << 40};
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict *dict = NULL, *copy = NULL;

    (void)state;
    spec.kind = NINHO_CUCKOO_TABLE;
    spec.n_functions = 3;
    spec.bucket_size = 2;
    spec.n_tables = 2;
    spec.max_moves = 100;
    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    for (uint64_t i = 0; i < 500; i++)
        CHECK_OK(ninho_dict_put(dict, &i, sizeof i, i, NULL));
    const size_t size = ninho_dict_encoded_size(dict);
    uint8_t *bytes = malloc(size);
    CHECK(bytes);
    for (unsigned i = 0; i < 2 * sizeof open / sizeof *open; i++) {
        CHECK_OK(ninho_dict_encode(dict, bytes, size, NULL));
        set_field(bytes, WORD_0, 8, get_field(bytes, WORD_0, 8) & ~open[i / 2]);
        if (i % 2)
            set_field(bytes, N_HASHES, 4, 0);
        fix_checksums(bytes, size);
        CHECK_OK(ninho_dict_decode(bytes, size, NULL, &copy, NULL));
        for (uint64_t j = 0; j < 500; j++)
            CHECK(ninho_dict_get(copy, &j, sizeof j, NULL));
        CHECK_OK(ninho_dict_encode(copy, bytes, size, NULL)); /* now they are told */
        CHECK(get_field(bytes, N_HASHES, 4) == (i % 2 ? 2 : 3));
        CHECK(get_field(bytes, WORD_0 + 2, 1) && get_field(bytes, WORD_0 + 3, 1) &&
              get_field(bytes, WORD_0 + 5, 2));
        ninho_dict_free(copy);
    }
    free(bytes);
    ninho_dict_free(dict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_at_any_byte_it_is_refused),
        cmocka_unit_test(any_bit_flipped_is_refused),
        cmocka_unit_test(a_lying_field_with_right_checksums_is_refused_or_harmless),
        cmocka_unit_test(a_filter_is_no_dictionary_and_the_other_way_round),
        cmocka_unit_test(a_wrong_or_missing_secret_is_refused),
        cmocka_unit_test(what_the_writer_left_open_the_reader_chooses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
