/* SPDX-License-Identifier: MIT */
/* Bytes from outside are hostile: cut, flipped, crafted with checksums made right again. They are
 * refused, or they are a filter that is whole; nothing is read outside of them, and no number in
 * them is believed before the bytes are there. Run under sanitizers to see all of it. */
#include "conform/families.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conform/frame_bytes.h"

/* What a filter object may take beside its tables: the object, the list of parts, metadata. */
enum { OVERHEAD = 24 << 10 };

/* Memory to search in: a cuckoo filter that is added to takes at most so many bytes for each of
 * the file's, and so many in all. */
#define SEARCH_BYTES 256
#define MOST_SEARCH  (UINT64_C(64) << 20)

static uint64_t search_bytes(size_t size)
{
    const uint64_t bytes = SEARCH_BYTES * (uint64_t)size;
    return bytes < MOST_SEARCH ? bytes : MOST_SEARCH;
}

/* A small filter of the family as bytes; growing ones have several parts, all have metadata. */
static uint8_t *small_file(const struct family *family, size_t *size)
{
    const bool can_grow = family_can(family) & NINHO_CAN_GROW;
    const ninho_spec spec = family_spec(family, 8, .1, 1);
    ninho_filter *filter = family_filter(family, 8, .1, 1);

    add_range(filter, &spec, 0, can_grow ? 40 : 8);
    CHECK_OK(ninho_filter_set_meta(filter, "k", "v"));
    uint8_t *bytes = encoded(filter, size);
    ninho_filter_free(filter);
    return bytes;
}

/* A copy in a block of its own, so that the sanitizer guards both ends. */
static uint8_t *duplicate(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);

    CHECK(copy);
    memcpy(copy, bytes, size);
    return copy;
}

/* Asks for everything that can be asked for without changing it. */
static void interrogate(const ninho_filter *filter)
{
    ninho_info info = NINHO_INFO_INIT;
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_hasher hasher;
    uint64_t hashes[130], maybe[3];
    char text[64];
    double n_keys;

    for (size_t i = 0; i < 130; i++)
        hashes[i] = i < 2 ? 0 - (uint64_t)i : mix64(i);
    ninho_filter_has_many(filter, hashes, 130, maybe);
    for (size_t i = 0; i < 130; i++) {
        CHECK(ninho_filter_has(filter, hashes[i]) == (maybe[i / 64] >> (i % 64) & 1));
        ninho_filter_copies(filter, hashes[i]);
    }
    ninho_filter_has_key(filter, "12345678", 8);
    CHECK_OK(ninho_filter_info(filter, &info));
    CHECK(info.fpr_target > 0 && info.fpr_target < 1);
    CHECK(info.fpr_expected >= 0 && info.fpr_expected <= 1);
    CHECK(info.load >= 0 && info.load <= 1);
    CHECK(isfinite(info.bits_per_key));
    ninho_filter_count(filter);
    ninho_filter_estimate(filter, &n_keys);
    ninho_filter_estimate_pair(filter, filter, &n_keys, &n_keys, NULL);
    CHECK_OK(ninho_filter_spec(filter, &spec));
    ninho_filter_hasher(filter, &hasher);
    for (size_t i = 0; i < 5; i++)
        ninho_filter_meta_at(filter, i, text, sizeof text);
    ninho_filter_meta(filter, "k", text, sizeof text, NULL);
}

/* Opens the bytes in every way. What decodes must be whole: its bytes are these bytes, and it
 * takes more keys. Memory is bounded by the bytes' size whatever they say. */
static ninho_status try_bytes(const uint8_t *bytes, size_t size,
                              const ninho_open_options *how)
{
    struct test_heap heap;
    ninho_open_options open = *how;
    ninho_filter *filter = NULL, *copy = NULL;
    const ninho_filter *viewed = NULL;
    ninho_view view;
    ninho_error error = NINHO_ERROR_INIT;

    heap_init(&heap);
    open.alloc = &heap.alloc;
    memset(&view, 0xee, sizeof view);
    const ninho_status status = ninho_filter_decode(bytes, size, &open, &filter, &error);
    const uint64_t search = search_bytes(size);
    CHECK(heap.peak_bytes <= size + OVERHEAD && heap.largest <= size + OVERHEAD);
    if (status) {
        CHECK(status == NINHO_ERR_FORMAT || status == NINHO_ERR_VERSION ||
              status == NINHO_ERR_CHECKSUM || status == NINHO_ERR_KEY_MISSING ||
              status == NINHO_ERR_KEY_WRONG || status == NINHO_ERR_KEY_UNUSED);
        CHECK(error.status == status && error.text[0] && !strchr(error.text, '\n'));
        CHECK(!filter && heap.live_blocks == 0);
    }
    const ninho_status seen = ninho_filter_view(&view, bytes, size, &open, &viewed, NULL);
    if (seen == NINHO_OK) {
        interrogate(viewed);
        CHECK((ninho_filter_verify(viewed, NULL) == NINHO_OK) == (status == NINHO_OK));
    } else {
        CHECK(status != NINHO_OK && !viewed);
    }
    if (!status) {
        size_t again_size;
        interrogate(filter);
        CHECK_OK(ninho_filter_verify(filter, NULL));
        uint8_t *again = encoded(filter, &again_size);
        CHECK(again_size == size && memcmp(again, bytes, size) == 0);
        free(again);
        CHECK_OK(ninho_filter_copy(filter, NULL, &copy, NULL));
        ninho_filter_free(copy);
        /* and goes on: growing by what is really there, not by what a header says */
        for (uint64_t i = 0; i < 20; i++) {
            const ninho_status added = ninho_filter_add(filter, mix64(i));
            CHECK(added == NINHO_OK || added == NINHO_ERR_FULL);
            CHECK(added || ninho_filter_has(filter, mix64(i)));
        }
        ninho_filter_remove(filter, mix64(1));
        CHECK(heap.largest <= 512 * size + 16 * search + OVERHEAD);
        ninho_filter_free(filter);
        CHECK_U64(heap.live_blocks, 0);
    }
    return status;
}

static void truncated_at_every_offset_is_refused(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const ninho_open_options open = family_open(family, 1);
        size_t size;
        uint8_t *bytes = small_file(family, &size);
        test_where("%s: whole", family->name);
        CHECK_OK(try_bytes(bytes, size, &open));
        for (size_t n = 0; n < size; n++) {
            uint8_t *cut = duplicate(bytes, n);
            test_where("%s: %zu of %zu bytes", family->name, n, size);
            CHECK_STATUS(try_bytes(cut, n, &open), NINHO_ERR_FORMAT);
            free(cut);
        }
        free(bytes);
    }
}

static void every_flipped_bit_is_noticed(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const ninho_open_options open = family_open(family, 1);
        size_t size;
        uint8_t *bytes = small_file(family, &size);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            test_where("%s: bit %zu of byte %zu", family->name, bit % 8, bit / 8);
            bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
            CHECK(try_bytes(bytes, size, &open) != NINHO_OK);
            bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        }
        free(bytes);
    }
}

/* The same with the checksums made right: now the numbers themselves must be checked. */
static void flipped_bits_with_right_checksums_do_no_harm(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const ninho_open_options open = family_open(family, 1);
        size_t size, n_refused = 0;
        uint8_t *bytes = small_file(family, &size);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            uint8_t *crafted = duplicate(bytes, size);
            test_where("%s: bit %zu of byte %zu", family->name, bit % 8, bit / 8);
            crafted[bit / 8] ^= (uint8_t)(1U << bit % 8);
            fix_checksums(crafted, size);
            n_refused += try_bytes(crafted, size, &open) != NINHO_OK;
            free(crafted);
        }
        CHECK(n_refused > 8 * 64);
        free(bytes);
    }
}

static void try_field(const struct family *family, const uint8_t *bytes, size_t size,
                      const struct frame_field *field, size_t offset, bool *is_checked)
{
    static const uint64_t values[] = {0,
                                      1,
                                      2,
                                      3,
                                      7,
                                      8,
                                      63,
                                      64,
                                      65,
                                      255,
                                      256,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      UINT64_C(1) << 32,
                                      UINT64_C(1) << 40,
                                      UINT64_C(1) << 48,
                                      (UINT64_C(1) << 48) + 1,
                                      (UINT64_C(1) << 62) - 64,
                                      UINT64_C(1) << 62,
                                      UINT64_C(1) << 63,
                                      UINT64_MAX - 63,
                                      UINT64_MAX - 7,
                                      UINT64_MAX};
    const ninho_open_options open = family_open(family, 1);
    const uint64_t was = get_field(bytes, offset, field->size);

    for (size_t v = 0; v < sizeof values / sizeof *values + 2; v++) {
        const size_t n_values = sizeof values / sizeof *values;
        const uint64_t value = v < n_values    ? values[v]
                               : v == n_values ? was + 1
                                               : was - 1;
        uint8_t *crafted = duplicate(bytes, size);
        set_field(crafted, offset, field->size, value);
        fix_checksums(crafted, size);
        if (field->offset == 72 && offset == 72) /* the body's checksum itself */
            set_field(crafted, offset, field->size, value);
        test_where("%s: %s at %zu is %#llx, was %#llx", family->name, field->name, offset,
                   (unsigned long long)value, (unsigned long long)was);
        const bool same = memcmp(crafted, bytes, size) == 0;
        const ninho_status status = try_bytes(crafted, size, &open);
        CHECK(!same || status == NINHO_OK);
        if (status)
            *is_checked = true;
        free(crafted);
    }
}

static void every_number_in_the_header_is_checked(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        size_t size;
        uint8_t *bytes = small_file(family, &size);
        for (size_t i = 0; i < n_header_fields; i++) {
            const struct frame_field *field = &header_fields[i];
            bool is_checked = false;
            try_field(family, bytes, size, field, field->offset, &is_checked);
            /* seed and count are whatever they are; a key check must be 0, or the secret's */
            if (strcmp(field->name, "count") != 0 &&
                (strcmp(field->name, "seed") != 0 ||
                 family->spec.hash == NINHO_HASH_SIPHASH))
                CHECK(is_checked);
        }
        const size_t n_parts = (size_t)get_field(bytes, 60, 4);
        CHECK(n_parts > 1 || !(family_can(family) & NINHO_CAN_GROW));
        for (size_t part = 0; part < n_parts; part++) {
            for (size_t i = 0; i < n_part_fields; i++) {
                const struct frame_field *field = &part_fields[i];
                bool is_checked = false;
                try_field(family, bytes, size, field,
                          PARTS_AT + PART_SIZE * part + field->offset, &is_checked);
                if (strcmp(field->name, "part count") != 0)
                    CHECK(is_checked);
            }
        }
        free(bytes);
    }
}

/* Several lies that agree with each other: a growing filter that says it holds more than all the
 * memory there is, and is full, must not grow by that. */
static void lies_that_agree_do_not_make_it_grow(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const ninho_open_options open = family_open(family, 1);
        size_t size;
        uint8_t *bytes = small_file(family, &size);
        const size_t n_parts = (size_t)get_field(bytes, 60, 4);
        for (unsigned shift = 8; shift <= 48; shift += 4) {
            for (unsigned step = 0; step < 5; step++) {
                uint8_t *crafted = duplicate(bytes, size);
                test_where("%s: capacity 2^%u, parts by 2^%u", family->name, shift, step);
                set_field(crafted, 32, 8, UINT64_C(1) << shift);
                set_field(crafted, 40, 8, UINT64_MAX);
                for (size_t part = 0; part < n_parts; part++) {
                    const size_t at = PARTS_AT + PART_SIZE * part;
                    set_field(crafted, at + 8, 8,
                              UINT64_C(1) << (shift + step * part) % 64);
                    set_field(crafted, at + 16, 8, UINT64_MAX);
                }
                fix_checksums(crafted, size);
                try_bytes(crafted, size, &open);
                free(crafted);
            }
        }
        free(bytes);
    }
}

static void stored_doubles_must_be_rates(void **state)
{
    const double bad[] = {0,
                          -0.0,
                          1,
                          2,
                          -1,
                          -.01,
                          1e300,
                          (double)NAN,
                          -(double)NAN,
                          (double)INFINITY,
                          -(double)INFINITY,
                          5e-324,
                          1e-310};
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const ninho_open_options open = family_open(family, 1);
        size_t size;
        uint8_t *bytes = small_file(family, &size);
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            uint64_t word;
            memcpy(&word, &bad[i], sizeof word);
            set_field(bytes, 48, 8, word);
            fix_checksums(bytes, size);
            test_where("%s: fpr %g (%#llx)", family->name, bad[i],
                       (unsigned long long)word);
            CHECK_STATUS(try_bytes(bytes, size, &open), NINHO_ERR_FORMAT);
        }
        free(bytes);
    }
}

static void trailing_bytes_are_refused(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const ninho_open_options open = family_open(family, 1);
        size_t size;
        uint8_t *bytes = small_file(family, &size);
        uint8_t *longer = calloc(1, 2 * size + 64);
        CHECK(longer);
        memcpy(longer, bytes, size);
        for (size_t more = 1; more <= 2; more++) {
            ninho_filter *filter = NULL;
            ninho_error error = NINHO_ERROR_INIT;
            CHECK_STATUS(ninho_filter_decode(longer, size + more, &open, &filter, &error),
                         NINHO_ERR_FORMAT);
            CHECK(strcmp(error.text,
                         more == 1 ? "1 trailing byte" : "2 trailing bytes") == 0);
        }
        for (size_t more = 1; more <= 64; more++) {
            test_where("%s: %zu bytes more", family->name, more);
            CHECK_STATUS(try_bytes(longer, size + more, &open), NINHO_ERR_FORMAT);
        }
        memcpy(longer + size, bytes, size);
        test_where("%s: twice", family->name);
        CHECK_STATUS(try_bytes(longer, 2 * size, &open), NINHO_ERR_FORMAT);
        fix_checksums(longer, 2 * size);
        CHECK_STATUS(try_bytes(longer, 2 * size, &open), NINHO_ERR_FORMAT);
        free(longer);
        free(bytes);
    }
}

static void other_files_are_told_apart(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *hint;
    } others[] = {
        {"\x1f\x8b\x08\x00\x00\x00\x00\x00", 8, "gunzip"},
        {"\x28\xb5\x2f\xfd\x04\x00\x00\x00", 8, "zstd"},
        {"\xfd"
         "7zXZ\x00\x00\x04",
         8, "xz"},
        {"word\nlist\n", 10, "not a ninho file"},
        {"NINHA\0\1\0", 8, "not a ninho file"},
        {"ninho\0\1\0", 8, "not a ninho file"},
        {"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16, "not a ninho file"},
        {"", 0, "empty"},
        {"N", 1, "truncated: 1 bytes, expected 192"},
        {"NINHO", 5, "truncated"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        ninho_filter *filter = NULL;
        ninho_error error = NINHO_ERROR_INIT;
        test_where("case %zu", i);
        CHECK_STATUS(
            ninho_filter_decode(others[i].bytes, others[i].size, NULL, &filter, &error),
            NINHO_ERR_FORMAT);
        if (!strstr(error.text, others[i].hint))
            test_fail(__FILE__, __LINE__, "\"%s\" lacks \"%s\"", error.text,
                      others[i].hint);
    }
}

static void what_a_newer_ninho_wrote_is_refused_as_such(void **state)
{
    static const struct {
        size_t offset;
        unsigned size;
        uint64_t value;
    } news[] = {
        {6, 2, 2},      {6, 2, 3},  {6, 2, 65535},     {12, 2, 99},
        {12, 2, 65535}, {14, 1, 6}, {14, 1, 255},      {15, 1, 4},
        {15, 1, 255},   {56, 4, 2}, {56, 4, 1U << 31},
    };
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const ninho_open_options open = family_open(family, 1);
        size_t size;
        uint8_t *bytes = small_file(family, &size);
        for (size_t i = 0; i < sizeof news / sizeof *news; i++) {
            uint8_t *crafted = duplicate(bytes, size);
            test_where("%s: at %zu: %llu", family->name, news[i].offset,
                       (unsigned long long)news[i].value);
            set_field(crafted, news[i].offset, news[i].size, news[i].value);
            fix_checksums(crafted, size);
            CHECK_STATUS(try_bytes(crafted, size, &open), NINHO_ERR_VERSION);
            free(crafted);
        }
        free(bytes);
    }
}

static void metadata_from_outside_is_checked(void **state)
{
    static const char *const bad[] = {"k=v",   "kv\n\n", "=vv\n", "K=v\n", "\n\n\n\n",
                                      "k\nv=", "k=\0\n", "====",  "k v\n"};
    static const char *const good[] = {"k=v\n", "kk=\n", "k==\n"};
    const struct family *family = &families[0];
    const ninho_open_options open = family_open(family, 1);
    size_t size;
    uint8_t *bytes = small_file(family, &size);

    (void)state;
    CHECK(memcmp(bytes + PARTS_AT + PART_SIZE, "k=v\n", 4) == 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad + sizeof good / sizeof *good; i++) {
        const bool is_bad = i < sizeof bad / sizeof *bad;
        char text[4] = "k=v";
        const char *from = is_bad ? bad[i] : good[i - sizeof bad / sizeof *bad];
        memcpy(text, from, strlen(from) > 4 ? 4 : is_bad && i == 0 ? 3 : 4);
        memcpy(bytes + PARTS_AT + PART_SIZE, text, 4);
        fix_checksums(bytes, size);
        test_where("metadata case %zu", i);
        CHECK_STATUS(try_bytes(bytes, size, &open), is_bad ? NINHO_ERR_FORMAT : NINHO_OK);
    }
    free(bytes);
}

/* Names out of order, or twice. */
static void metadata_from_outside_is_in_order(void **state)
{
    static const char *const orders[] = {"a=1\nb=2\n", "b=2\na=1\n", "a=1\na=2\n",
                                         "b=1\nb=1\n"};
    ninho_filter *filter = family_filter(&families[0], 8, .1, 1);
    ninho_open_options open = NINHO_OPEN_INIT;
    size_t size;

    (void)state;
    CHECK_OK(ninho_filter_set_meta(filter, "a", "1"));
    CHECK_OK(ninho_filter_set_meta(filter, "b", "2"));
    uint8_t *bytes = encoded(filter, &size);
    for (size_t i = 0; i < 4; i++) {
        memcpy(bytes + PARTS_AT + PART_SIZE, orders[i], 8);
        fix_checksums(bytes, size);
        test_where("order %zu", i);
        CHECK_STATUS(try_bytes(bytes, size, &open), i ? NINHO_ERR_FORMAT : NINHO_OK);
    }
    free(bytes);
    ninho_filter_free(filter);
}

/* A view does not read the body's checksum: whatever the body holds, asking is safe and ends. */
static void a_view_of_any_body_is_safe(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const ninho_open_options open = family_open(family, 1);
        struct test_rng rng = {test_seed(1)};
        size_t size;
        uint8_t *bytes = small_file(family, &size);
        const size_t header = (size_t)get_field(bytes, 8, 4);
        for (int round = 0; round < 200; round++) {
            ninho_view view;
            const ninho_filter *viewed = NULL;
            test_where("%s: round %d", family->name, round);
            for (size_t i = header; i < size; i++)
                bytes[i] = round == 0 ? 0xff : round == 1 ? 0 : (uint8_t)rng_next(&rng);
            CHECK_OK(ninho_filter_view(&view, bytes, size, &open, &viewed, NULL));
            interrogate(viewed);
            CHECK_STATUS(ninho_filter_verify(viewed, NULL), NINHO_ERR_CHECKSUM);
        }
        free(bytes);
    }
}

/* Bits or counters past the end of the table: a right checksum does not make them right. */
static void spare_bits_must_be_zero(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        ninho_spec spec = NINHO_SPEC_INIT;
        ninho_filter *filter = NULL;
        ninho_open_options open = NINHO_OPEN_INIT;
        size_t size;
        spec.kind = i ? NINHO_COUNTING : NINHO_BLOOM;
        spec.capacity = 3;
        spec.n_bits = 13;
        spec.n_hashes = 2;
        test_where("kind %d", (int)spec.kind);
        CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
        uint8_t *bytes = encoded(filter, &size);
        bytes[size - 1] |= 0x80;
        fix_checksums(bytes, size);
        CHECK_STATUS(try_bytes(bytes, size, &open), NINHO_ERR_FORMAT);
        free(bytes);
        ninho_filter_free(filter);
    }
}

static void bare_bytes_of_any_kind_are_safe(void **state)
{
    struct test_rng rng = {test_seed(2)};

    (void)state;
    FOR_EACH_FAMILY(family)
    {
        ninho_spec spec = family_spec(family, 1, .5, 1);
        spec.capacity = 0;
        spec.n_bits = 0;
        spec.n_hashes = 0;
        spec.n_slots = 0;
        for (size_t size = 0; size < 140; size++) {
            for (int round = 0; round < 20; round++) {
                uint8_t *bytes = malloc(size ? size : 1);
                ninho_view view;
                const ninho_filter *viewed = NULL;
                test_where("%s: %zu bytes, round %d", family->name, size, round);
                CHECK(bytes);
                for (size_t i = 0; i < size; i++)
                    bytes[i] = (uint8_t)rng_next(&rng);
                if (round % 2 && size > 1) { /* a tail that could be one */
                    bytes[size - 1] %= 8;
                    bytes[size - 2] %= 65;
                }
                memset(&view, 0xee, sizeof view);
                const ninho_status status =
                    ninho_filter_view_bare(&view, &spec, bytes, size, &viewed, NULL);
                /* Without a view the answer is the same, or "maybe" where there is none. */
                for (uint64_t i = 0; i < 100; i++)
                    CHECK(ninho_filter_has_bare(spec.kind, bytes, size, mix64(i)) ==
                          (status || ninho_filter_has(viewed, mix64(i))));
                if (status == NINHO_OK) {
                    ninho_info info = NINHO_INFO_INIT;
                    uint64_t maybe[2], hashes[100];
                    for (size_t i = 0; i < 100; i++)
                        hashes[i] = mix64(i);
                    ninho_filter_has_many(viewed, hashes, 100, maybe);
                    for (size_t i = 0; i < 100; i++)
                        ninho_filter_copies(viewed, hashes[i]);
                    CHECK_OK(ninho_filter_info(viewed, &info));
                } else {
                    CHECK(status == NINHO_ERR_FORMAT || status == NINHO_ERR_UNSUPPORTED);
                    CHECK(!viewed);
                }
                free(bytes);
            }
        }
    }
}

/* 10,000 crafted files, opened and mapped: nothing leaks, memory or descriptors. */
static void thousands_of_crafted_files_leak_nothing(void **state)
{
    struct temp_dir dir;
    char path[512];
    struct test_rng rng = {test_seed(3)};
    struct test_heap heap;
    const size_t n_files = test_scaled(10000, 500);
    size_t n_opened = 0;

    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "crafted", path);
    heap_init(&heap);
    const int n_open = open_fd_count();
    for (size_t i = 0; i < n_files; i++) {
        const struct family *family = &families[i % n_families];
        ninho_open_options open = family_open(family, 1);
        ninho_filter *filter = NULL;
        size_t size;
        uint8_t *bytes = small_file(family, &size);
        test_where("file %zu, %s, seed %llu", i, family->name,
                   (unsigned long long)test_seed(3));
        open.alloc = &heap.alloc;
        for (uint64_t n = rng_below(&rng, 4); n > 0; n--)
            bytes[rng_below(&rng, size)] = (uint8_t)rng_next(&rng);
        if (rng_below(&rng, 2))
            fix_checksums(bytes, size);
        if (rng_below(&rng, 8) == 0)
            size = (size_t)rng_below(&rng, size);
        unlink(path); /* some file systems sync a file that is written over */
        file_write(path, bytes, size);
        const ninho_status opened = ninho_filter_open(path, &open, &filter, NULL);
        if (!opened)
            interrogate(filter);
        ninho_filter_free(filter);
        filter = NULL;
        const ninho_status mapped = ninho_filter_map(path, &open, &filter, NULL);
        if (!mapped) {
            interrogate(filter);
            CHECK((ninho_filter_verify(filter, NULL) == NINHO_OK) == !opened);
            n_opened++;
        } else {
            CHECK(opened == mapped);
        }
        ninho_filter_free(filter);
        CHECK_U64(heap.live_blocks, 0);
        free(bytes);
    }
    CHECK(open_fd_count() == n_open);
    CHECK(n_opened > n_files / 20 && n_opened < n_files);
    temp_dir_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truncated_at_every_offset_is_refused),
        cmocka_unit_test(every_flipped_bit_is_noticed),
        cmocka_unit_test(flipped_bits_with_right_checksums_do_no_harm),
        cmocka_unit_test(every_number_in_the_header_is_checked),
        cmocka_unit_test(lies_that_agree_do_not_make_it_grow),
        cmocka_unit_test(stored_doubles_must_be_rates),
        cmocka_unit_test(trailing_bytes_are_refused),
        cmocka_unit_test(other_files_are_told_apart),
        cmocka_unit_test(what_a_newer_ninho_wrote_is_refused_as_such),
        cmocka_unit_test(metadata_from_outside_is_checked),
        cmocka_unit_test(metadata_from_outside_is_in_order),
        cmocka_unit_test(a_view_of_any_body_is_safe),
        cmocka_unit_test(spare_bits_must_be_zero),
        cmocka_unit_test(bare_bytes_of_any_kind_are_safe),
        cmocka_unit_test(thousands_of_crafted_files_leak_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
