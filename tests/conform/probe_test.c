/* SPDX-License-Identifier: MIT */
/* What bytes are, told from their beginning; and where they are wrong. */
#include <stdlib.h>
#include <string.h>

#include "conform/dicts.h"
#include "conform/families.h"
#include "conform/frame_bytes.h"

static void filters_are_told(void **state)
{
    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        const ninho_spec spec = family_spec(family, 100, .01, 1);
        ninho_filter *filter = family_filter(family, 100, .01, 1);
        ninho_probe_info info = NINHO_PROBE_INIT;
        size_t size;
        test_where("%s", family->name);
        add_range(filter, &spec, 0, 60);
        uint8_t *bytes = encoded(filter, &size);
        CHECK_OK(ninho_probe(bytes, size, &info, NULL));
        CHECK(info.is_filter && !info.is_dict && !info.dict_kind);
        CHECK(info.filter_kind == spec.kind);
        CHECK(info.is_keyed == (spec.hash == NINHO_HASH_SIPHASH));
        CHECK(info.key_encoding ==
              (spec.key_encoding ? spec.key_encoding : NINHO_KEY_BYTES));
        CHECK_U64(info.count, ninho_filter_count(filter));
        CHECK_U64(info.capacity, 100);
        CHECK_U64(info.header_bytes + info.body_bytes, size);
        CHECK_U64(info.format_version, 1);
        CHECK(!info.has_attachment);
        free(bytes);
        CHECK_OK(ninho_filter_set_attachment(filter, "eggs", 4));
        bytes = encoded(filter, &size);
        /* The header is enough, and less of it is not. */
        CHECK_OK(ninho_probe(bytes, info.header_bytes + 64, &info, NULL));
        CHECK(info.has_attachment);
        for (size_t n = 0; n < info.header_bytes; n++)
            CHECK_STATUS(ninho_probe(bytes, n, &info, NULL), NINHO_ERR_FORMAT);
        free(bytes);
        ninho_filter_free(filter);
    }
}

/* The largest header: 32 tables, an attachment and all the metadata there can be. */
static void the_promised_bytes_are_enough(void **state)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_probe_info info = NINHO_PROBE_INIT;
    ninho_filter *filter;
    char value[NINHO_META_BYTES];
    size_t size;

    (void)state;
    spec.kind = NINHO_SCALABLE;
    spec.base = NINHO_BLOOM;
    spec.capacity = 1;
    spec.growth = 2;
    spec.fpr = .1;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    for (uint64_t i = 0; i < 2000; i++)
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    memset(value, 'v', sizeof value);
    value[sizeof value - 3] = '\0';
    CHECK_OK(ninho_filter_set_meta(filter, "k", value));
    CHECK_OK(ninho_filter_set_attachment(filter, "eggs", 4));
    uint8_t *bytes = encoded(filter, &size);
    CHECK(size > NINHO_PROBE_BYTES);
    CHECK_OK(ninho_probe(bytes, NINHO_PROBE_BYTES, &info, NULL));
    CHECK(info.header_bytes <= NINHO_PROBE_BYTES && info.has_attachment);
    free(bytes);
    ninho_filter_free(filter);
}

static void dictionaries_are_told(void **state)
{
    (void)state;
    for (size_t c = 0; c < n_dict_configs; c++) {
        const ninho_dict_spec spec = dict_spec_of(&dict_configs[c]);
        ninho_probe_info info = NINHO_PROBE_INIT;
        ninho_dict *dict;
        uint8_t key[64], bytes[512];
        size_t size;
        test_where("%s", dict_configs[c].name);
        CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
        CHECK_OK(ninho_dict_put(dict, key, dict_key(&dict_configs[c], 3, key), 7, NULL));
        CHECK_OK(ninho_dict_encode(dict, bytes, sizeof bytes, &size));
        CHECK_OK(ninho_probe(bytes, size, &info, NULL));
        CHECK(info.is_dict && !info.is_filter && !info.filter_kind);
        CHECK(info.dict_kind == spec.kind && info.hash == spec.hash);
        CHECK(info.is_keyed == (spec.hash == NINHO_HASH_SIPHASH));
        CHECK_U64(info.count, 1);
        CHECK_U64(info.header_bytes + info.body_bytes, size);
        ninho_dict_free(dict);
    }
}

static void other_bytes_are_refused(void **state)
{
    ninho_probe_info info = NINHO_PROBE_INIT;
    ninho_filter *filter = family_filter(&families[0], 100, .01, 1);
    ninho_error error = NINHO_ERROR_INIT;
    size_t size;
    uint8_t *bytes = encoded(filter, &size);

    (void)state;
    CHECK_STATUS(ninho_probe(NULL, 0, &info, &error), NINHO_ERR_FORMAT);
    CHECK_STATUS(ninho_probe(NULL, 1, &info, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_probe(bytes, size, NULL, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_probe("words\nof\nmine\n", 14, &info, &error), NINHO_ERR_FORMAT);
    CHECK_U64(error.offset, 0);
    info.size_of_struct = 0;
    CHECK_STATUS(ninho_probe(bytes, size, &info, &error), NINHO_ERR_ARG);
    info.size_of_struct = sizeof info;
    set_field(bytes, 12, 2, 777);
    CHECK_STATUS(ninho_probe(bytes, size, &info, &error), NINHO_ERR_CHECKSUM);
    fix_checksums(bytes, size);
    CHECK_STATUS(ninho_probe(bytes, size, &info, &error), NINHO_ERR_VERSION);
    CHECK(!info.is_filter && !info.is_dict);
    free(bytes);
    ninho_filter_free(filter);
}

/* ---- Where bytes are wrong ----------------------------------------------------------------- */

static void check_place(const uint8_t *bytes, size_t size, ninho_status status,
                        uint64_t offset)
{
    ninho_error error = NINHO_ERROR_INIT;
    ninho_filter *filter;

    CHECK_STATUS(ninho_filter_decode(bytes, size, NULL, &filter, &error), status);
    CHECK_U64(error.offset, offset);
}

static void the_place_of_a_fault_is_named(void **state)
{
    static const struct {
        size_t offset;
        uint64_t value;
    } fields[] = {{32, 0},           {40, UINT64_MAX},
                  {60, 0},           {64, UINT64_MAX},
                  {80, 5000},        {84, 1},
                  {88, 1},           {PARTS_AT, 99},
                  {PARTS_AT + 8, 0}, {PARTS_AT + 16, UINT64_MAX},
                  {PARTS_AT + 48, 1}};
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter;
    size_t size;

    (void)state;
    spec.kind = NINHO_BLOOM;
    spec.capacity = 100;
    spec.fpr = .01;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    uint8_t *bytes = encoded(filter, &size);
    uint8_t *longer = calloc(1, size + 3);
    CHECK(longer);
    memcpy(longer, bytes, size);
    check_place(longer, size + 3, NINHO_ERR_FORMAT, size);
    check_place(bytes, size - 1, NINHO_ERR_FORMAT, size - 1);
    check_place(bytes, 100, NINHO_ERR_FORMAT, 100);
    longer[2] ^= 1;
    check_place(longer, size, NINHO_ERR_FORMAT, 0);
    longer[2] ^= 1;
    longer[20] ^= 1;
    check_place(longer, size, NINHO_ERR_CHECKSUM, 0);
    longer[20] ^= 1;
    longer[200] ^= 1;
    check_place(longer, size, NINHO_ERR_CHECKSUM, 192);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const unsigned width =
            fields[i].offset == 60 || fields[i].offset == 80 || fields[i].offset == 84 ? 4
            : fields[i].offset == PARTS_AT                                             ? 2
                                           : 8;
        test_where("field at %zu", fields[i].offset);
        memcpy(longer, bytes, size);
        set_field(longer, fields[i].offset, width, fields[i].value);
        fix_checksums(longer, size);
        check_place(longer, size, NINHO_ERR_FORMAT, fields[i].offset);
    }
    free(longer);
    free(bytes);
    ninho_filter_free(filter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_are_told),
        cmocka_unit_test(the_promised_bytes_are_enough),
        cmocka_unit_test(dictionaries_are_told),
        cmocka_unit_test(other_bytes_are_refused),
        cmocka_unit_test(the_place_of_a_fault_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
