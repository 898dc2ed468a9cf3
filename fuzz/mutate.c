/* SPDX-License-Identifier: MIT */
/* A file is taken apart into an image: its fields, the records of its parts, their tables and the
 * metadata. The image is changed, and written with the sizes, places and checksums that follow.
 * Then, now and then, one field is made wrong, with the checksums right. */
#include "mutate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <ninho/ninho.h>

#include "conform/frame_bytes.h"

enum {
    MAX_PARTS = 33,
    MAX_META = 4096,
    MAX_CHANGES = 3,
    FIRST_DICT = 33, /* kinds from here on are dictionaries */
    ATTACHMENT = 0xffff,
    QUOTIENT_NUMBER = 9, /* of kind quotient; its first layout has the kind's own */
};

const uint8_t fuzz_secret[NINHO_SECRET_BYTES] = "the fuzzer's key";

struct image {
    uint8_t header[PARTS_AT];
    uint8_t parts[MAX_PARTS][PART_SIZE];
    uint8_t *tables[MAX_PARTS]; /* each of `room` bytes */
    size_t sizes[MAX_PARTS];
    size_t n_parts;
    uint8_t meta[MAX_META];
    size_t n_meta;
    size_t room;
    uint64_t random;
};

size_t random_below(uint64_t *state, size_t n)
{
    return (size_t)(ninho_splitmix64(state) % n);
}

static size_t below(struct image *image, size_t n)
{
    return random_below(&image->random, n);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool is_file(const uint8_t *bytes, size_t size)
{
    return size >= PARTS_AT + PART_SIZE && memcmp(bytes, "NINHO", 6) == 0;
}

/* Where the attachment of a whole file begins, and its size; 0 if it has none. */
static size_t find_attachment(const uint8_t *bytes, size_t size, size_t *attached)
{
    const uint64_t n_parts = get_field(bytes, 60, 4);

    if (n_parts < 2 || n_parts > MAX_PARTS || PARTS_AT + n_parts * PART_SIZE > size)
        return 0;
    const uint8_t *part = bytes + PARTS_AT + (n_parts - 1) * PART_SIZE;
    const uint64_t at = get_field(bytes, 8, 4) + get_field(part, 48, 8);
    if (get_field(part, 0, 2) != ATTACHMENT || at >= size ||
        get_field(part, 48, 8) > size)
        return 0;
    *attached = size - (size_t)at;
    return (size_t)at;
}

void repair_checksums(uint8_t *bytes, size_t size)
{
    size_t attached = 0;

    if (!is_file(bytes, size))
        return;
    const size_t at = find_attachment(bytes, size, &attached);
    if (at && is_file(bytes + at, attached))
        fix_checksums(bytes + at, attached);
    fix_checksums(bytes, size);
}

/* ---- Taking apart and writing ------------------------------------------------------- */

static void free_image(struct image *image)
{
    for (size_t i = 0; i < MAX_PARTS; i++)
        free(image->tables[i]);
    free(image);
}

/* Takes what there is, whatever the fields say; NULL if it is no file of ours. */
static struct image *read_image(const uint8_t *bytes, size_t size, size_t room,
                                unsigned seed)
{
    if (!is_file(bytes, size))
        return NULL;
    struct image *image = calloc(1, sizeof *image);
    if (!image)
        return NULL;
    image->random = seed;
    image->room = room;
    memcpy(image->header, bytes, PARTS_AT);
    const size_t most = least(MAX_PARTS, (size - PARTS_AT) / PART_SIZE);
    image->n_parts = least((size_t)get_field(bytes, 60, 4), most);
    const size_t meta_at = PARTS_AT + image->n_parts * PART_SIZE;
    image->n_meta =
        least((size_t)get_field(bytes, 80, 4), least(MAX_META, size - meta_at));
    memcpy(image->meta, bytes + meta_at, image->n_meta);
    const size_t body = least((size_t)get_field(bytes, 8, 4), size);
    for (size_t i = 0; i < MAX_PARTS; i++) {
        image->tables[i] = calloc(1, room + 1);
        if (!image->tables[i]) {
            free_image(image);
            return NULL;
        }
        if (i >= image->n_parts)
            break; /* the others come when they are needed */
        uint8_t *part = image->parts[i];
        memcpy(part, bytes + PARTS_AT + i * PART_SIZE, PART_SIZE);
        const size_t at = least((size_t)get_field(part, 48, 8), size - body);
        image->sizes[i] = least((size_t)get_field(part, 56, 8), size - body - at);
        image->sizes[i] = least(image->sizes[i], room);
        memcpy(image->tables[i], bytes + body + at, image->sizes[i]);
    }
    return image;
}

/* Returns its size, 0 if it does not fit. The checksums are not made here. */
static size_t write_image(const struct image *image, uint8_t *out, size_t max_size)
{
    const size_t meta_at = PARTS_AT + image->n_parts * PART_SIZE;
    const size_t header = (meta_at + image->n_meta + 8 + 63) / 64 * 64;
    size_t body = 0;

    if (header > max_size)
        return 0;
    memset(out, 0, header);
    memcpy(out, image->header, PARTS_AT);
    memcpy(out + meta_at, image->meta, image->n_meta);
    for (size_t i = 0; i < image->n_parts; i++) {
        const size_t at = (body + 63) / 64 * 64, n = image->sizes[i];
        uint8_t *part = out + PARTS_AT + i * PART_SIZE;
        if (n > max_size - header || at > max_size - header - n)
            return 0;
        memcpy(part, image->parts[i], PART_SIZE);
        set_field(part, 48, 8, at);
        set_field(part, 56, 8, n);
        if (get_field(part, 0, 2) == ATTACHMENT)
            set_field(part, 24, 8, n);
        memset(out + header + body, 0, at - body);
        memcpy(out + header + at, image->tables[i], n);
        body = at + n;
    }
    set_field(out, 8, 4, header);
    set_field(out, 60, 4, image->n_parts);
    set_field(out, 64, 8, body);
    set_field(out, 80, 4, image->n_meta);
    return header + body;
}

/* ---- Numbers that follow from a table ------------------------------------------------ */

static unsigned kind_of(const struct image *image, size_t part)
{
    return (unsigned)get_field(image->parts[part], 0, 2);
}

static uint64_t bits_at(const uint8_t *table, size_t size, size_t bit, unsigned width)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < width && bit / 8 < size; i++, bit++)
        value |= (uint64_t)(table[bit / 8] >> (bit % 8) & 1) << i;
    return value;
}

/* Cells that the table has room for. */
static void fit_cells(struct image *image, size_t i)
{
    uint8_t *part = image->parts[i];
    const uint64_t word = get_field(part, 32, 8), size = image->sizes[i];
    const unsigned width = (word & 0xff) ? (unsigned)(word & 0xff) : 1;
    const unsigned place = (word >> 8 & 0xff) ? (unsigned)(word >> 8 & 0xff) : 1;
    uint64_t cells = get_field(part, 24, 8);

    switch (kind_of(image, i)) {
    case NINHO_BLOOM:
        cells = 8 * size - below(image, 8);
        break;
    case NINHO_BLOCKED:
        image->sizes[i] = (size_t)size / 32 * 32;
        cells = size / 32;
        break;
    case NINHO_COUNTING:
        cells = 2 * size - below(image, 2);
        break;
    case NINHO_CUCKOO:
        cells = 8 * size / width;
        cells -= word >> 16 & 1 ? 0 : cells % place;
        image->sizes[i] = (size_t)(cells * width + 7) / 8;
        break;
    case NINHO_QUOTIENT: /* the first layout */
        cells = 64 * (size / (8 * width + 24));
        image->sizes[i] = (size_t)(cells / 64 * (8 * width + 24));
        break;
    case QUOTIENT_NUMBER:
        if (size < 8)
            break;
        cells = 64 * ((size - 8) / (8 * width + 18)); /* of one zone */
        image->sizes[i] = (size_t)(cells / 64 * (8 * width + 18) + 8);
        break;
    case NINHO_RIBBON: /* without wide blocks; the last zone has no thresholds */
        cells = 64 * (size / (8 * (width ? width : 1)));
        image->sizes[i] = cells < 64 * 56 ? (size_t)(cells / 8 * width) : size;
        break;
    case NINHO_FUSE:
        cells = size / (word >> 16 & 16 ? 2 : 1);
        break;
    default:
        break;
    }
    set_field(part, 24, 8, cells);
}

/* The count of slots in use, where a table tells it. */
static void fit_count(struct image *image, size_t i)
{
    const uint8_t *part = image->parts[i], *table = image->tables[i];
    const unsigned width = (unsigned)get_field(part, 32, 1);
    const size_t size = image->sizes[i], cells = (size_t)get_field(part, 24, 8);
    uint64_t count = 0;

    switch (kind_of(image, i)) {
    case NINHO_CUCKOO:
        for (size_t s = 0; s < cells && width && s * width / 8 < size; s++)
            count += bits_at(table, size, s * width, width < 64 ? width : 64) != 0;
        break;
    case NINHO_COMPACT:
        for (size_t s = 0; s < cells && s * (width + 4) / 8 < size; s++)
            count += bits_at(table, size, s * (width + 4), 4);
        break;
    case NINHO_QUOTIENT:
        for (size_t b = 0; width && (b + 1) * (8 * width + 24) <= size; b++)
            for (size_t s = 0; s < 64; s++) {
                const size_t bit = 8 * (b * (8 * width + 24) + 8 * width) + s;
                count += bits_at(table, size, bit, 1) |
                         bits_at(table, size, bit + 64, 1) |
                         bits_at(table, size, bit + 128, 1);
            }
        break;
    case QUOTIENT_NUMBER: /* what the zone says */
        count = size < 8 ? 0 : bits_at(table, size, 8 * (size - 8), 64);
        break;
    default:
        return;
    }
    set_field(image->parts[i], 16, 8, count);
    if (image->n_parts == 1 || kind_of(image, 1) == ATTACHMENT)
        set_field(image->header, 40, 8, count);
}

/* As many entries as the list holds, and not a byte after the last. */
static void fit_dict(struct image *image)
{
    uint8_t *part = image->parts[0];
    const size_t fixed = (size_t)get_field(part, 32, 2);
    size_t at = 0, n = 0;

    for (;; n++) {
        const size_t left = image->sizes[0] - at;
        size_t entry = fixed + 8;
        if (!fixed) {
            if (left < 16)
                break;
            const uint64_t key = get_field(image->tables[0] + at, 0, 8);
            if (key > left - 16)
                set_field(image->tables[0] + at, 0, 8, left - 16);
            entry = 16 + least((size_t)key, left - 16);
        }
        if (entry > left)
            break;
        at += entry;
    }
    image->sizes[0] = at;
    set_field(image->header, 32, 8, n ? n : 1);
    set_field(image->header, 40, 8, n);
    set_field(part, 8, 8, n ? n : 1);
    set_field(part, 16, 8, n);
    set_field(part, 24, 8, n);
}

/* ---- Changes ------------------------------------------------------------------------- */

/* Values at which something ends, and neighbours of the old one. */
static uint64_t another_number(uint64_t *random, uint64_t old)
{
    static const uint64_t ends[] = {
        UINT64_C(1) << 60,
        UINT64_C(1) << 48,
        UINT64_C(1) << 50,
        UINT64_C(1) << 56,
        UINT64_C(1) << 31,
        UINT64_C(1) << 43,
        1000000,
        65535,
        255,
        64,
        4096,
        UINT64_MAX,
        5000,
        1024,
    };
    const uint64_t near = random_below(random, 5);

    switch (random_below(random, 7)) {
    case 0:
        return near;
    case 1:
        return ends[random_below(random, sizeof ends / sizeof *ends)] + near - 2;
    case 2:
        return (UINT64_C(1) << random_below(random, 64)) - random_below(random, 2);
    case 3:
        return old + near - 2;
    case 4:
        return random_below(random, 2) ? old * 2 : old / 2;
    case 5:
        return old ^ UINT64_C(1) << random_below(random, 64);
    default:
        return ninho_splitmix64(random);
    }
}

static void change_field(uint64_t *random, uint8_t *record,
                         const struct frame_field *field)
{
    const uint64_t old = get_field(record, field->offset, field->size);

    set_field(record, field->offset, field->size, another_number(random, old));
}

/* A number that stands in two places, header and first part. */
static void change_pair(struct image *image, size_t in_header, size_t in_part)
{
    const uint64_t old = get_field(image->header, in_header, 8);
    const uint64_t value = another_number(&image->random, old);

    set_field(image->header, in_header, 8, value);
    set_field(image->parts[0], in_part, 8, value);
}

static void change_kind(struct image *image)
{
    const unsigned kind =
        (unsigned)(below(image, 4) ? 1 + below(image, 9) : FIRST_DICT + below(image, 3));

    set_field(image->header, 12, 2, kind);
    for (size_t i = 0; i < image->n_parts && kind != NINHO_SCALABLE; i++)
        if (kind_of(image, i) != ATTACHMENT)
            set_field(image->parts[i], 0, 2, kind);
}

/* Another hash, with the seed or the key check that it wants. */
static void change_hash(struct image *image)
{
    ninho_hasher keyed = {.id = NINHO_HASH_SIPHASH};
    const unsigned hash = (unsigned)below(image, 4);

    memcpy(keyed.secret, fuzz_secret, sizeof keyed.secret);
    set_field(image->header, 15, 1, hash);
    set_field(image->header, 16, 8, hash == NINHO_HASH_SIPHASH ? 0 : below(image, 3));
    set_field(image->header, 24, 8,
              hash == NINHO_HASH_SIPHASH
                  ? ninho_hash_bytes(&keyed, "ninho: which secret is this?", 28)
                  : 0);
}

static void change_table(struct image *image, size_t i)
{
    uint8_t *table = image->tables[i];
    const size_t size = image->sizes[i];

    if (size == 0)
        return;
    const size_t at = below(image, size), n = 1 + below(image, least(16, size - at));
    switch (below(image, 5)) {
    case 0:
        memset(table + at, 0xff, n);
        break;
    case 1:
        memset(table + at, 0, n);
        break;
    case 2:
        table[at] ^= (uint8_t)(1U << below(image, 8));
        break;
    case 3: /* the list of a dictionary can grow so, or shrink */
        image->sizes[i] = LLVMFuzzerMutate(table, size, image->room);
        break;
    default:
        (void)LLVMFuzzerMutate(table + at, n, n);
    }
}

static void resize_table(struct image *image, size_t i)
{
    const size_t old = image->sizes[i];
    const size_t to = below(image, 2) ? below(image, least(256, image->room)) + 1
                                      : least(old * 2, image->room);

    if (to > old)
        memset(image->tables[i] + old, 0, to - old);
    image->sizes[i] = to;
    fit_cells(image, i);
}

static void change_meta(struct image *image)
{
    static const char *const lines[] = {"ninho.semantics=set\n", "k=5\n", "kmer.k=21\n",
                                        "kmer.strand=canonical\n", "a=\n"};
    const char *line = lines[below(image, sizeof lines / sizeof *lines)];
    const size_t n = strlen(line);

    switch (below(image, 4)) {
    case 0:
        image->n_meta = LLVMFuzzerMutate(image->meta, image->n_meta, 256);
        break;
    case 1:
        image->n_meta = 0;
        break;
    default:
        if (image->n_meta + n > MAX_META)
            return;
        memcpy(image->meta + image->n_meta, line, n);
        image->n_meta += n;
    }
}

/* Room for one more part, NULL if there is none. */
static uint8_t *next_table(struct image *image)
{
    if (image->n_parts == MAX_PARTS)
        return NULL;
    uint8_t **table = &image->tables[image->n_parts];
    if (!*table)
        *table = calloc(1, image->room + 1);
    return *table;
}

static void swap_parts(struct image *image, size_t i, size_t j)
{
    uint8_t part[PART_SIZE], *const table = image->tables[i];
    const size_t size = image->sizes[i];

    memcpy(part, image->parts[i], PART_SIZE);
    memcpy(image->parts[i], image->parts[j], PART_SIZE);
    memcpy(image->parts[j], part, PART_SIZE);
    image->tables[i] = image->tables[j];
    image->tables[j] = table;
    image->sizes[i] = image->sizes[j];
    image->sizes[j] = size;
}

/* One more part, like another; one less; or two in each other's place. */
static void change_parts(struct image *image, size_t i)
{
    const size_t last = image->n_parts - 1;
    uint8_t *table;

    switch (below(image, 3)) {
    case 0:
        table = next_table(image);
        if (!table)
            return;
        memcpy(table, image->tables[i], image->sizes[i]);
        image->sizes[last + 1] = image->sizes[i];
        memcpy(image->parts[last + 1], image->parts[i], PART_SIZE);
        image->n_parts++;
        break;
    case 1:
        image->n_parts -= last > 0;
        break;
    default:
        swap_parts(image, i, last);
    }
}

static void attach(struct image *image, const uint8_t *bytes, size_t size)
{
    const bool has =
        image->n_parts > 1 && kind_of(image, image->n_parts - 1) == ATTACHMENT;

    image->n_parts -= has;
    uint8_t *table = next_table(image);
    if (!table || size == 0 || size > image->room)
        return;
    memcpy(table, bytes, size);
    image->sizes[image->n_parts] = size;
    memset(image->parts[image->n_parts], 0, PART_SIZE);
    set_field(image->parts[image->n_parts], 0, 2, ATTACHMENT);
    image->n_parts++;
}

static void change(struct image *image)
{
    const size_t i = below(image, image->n_parts);

    switch (below(image, 16)) {
    case 0:
        change_field(&image->random, image->header,
                     &header_fields[below(image, n_header_fields)]);
        break;
    case 1:
        change_field(&image->random, image->parts[i],
                     &part_fields[below(image, n_part_fields)]);
        break;
    case 2:
        change_pair(image, 40, 16); /* count */
        return;
    case 3:
        change_pair(image, 32, 8); /* capacity */
        break;
    case 4:
        change_kind(image);
        break;
    case 5:
        change_hash(image);
        break;
    case 6:
        change_meta(image);
        break;
    case 7:
        change_parts(image, i);
        break;
    case 8:
        attach(image, fuzz_secret, 1 + below(image, sizeof fuzz_secret));
        break;
    case 9:
        resize_table(image, i);
        break;
    case 10: /* the words of a kind, byte by byte */
        image->parts[i][32 + below(image, 16)] =
            (uint8_t)another_number(&image->random, image->parts[i][32]);
        break;
    default:
        change_table(image, i);
    }
    if (below(image, 8) == 0)
        return;
    if (get_field(image->header, 12, 2) >= FIRST_DICT)
        fit_dict(image);
    else
        fit_count(image, i);
}

/* One field wrong, among right ones. */
static void make_wrong(uint8_t *bytes, uint64_t *random)
{
    const size_t n_parts = (size_t)get_field(bytes, 60, 4);

    if (random_below(random, 2))
        change_field(random, bytes,
                     &header_fields[random_below(random, n_header_fields)]);
    else
        change_field(random, bytes + PARTS_AT + random_below(random, n_parts) * PART_SIZE,
                     &part_fields[random_below(random, n_part_fields)]);
}

/* Writes the image and frees it. */
static size_t finish(struct image *image, uint8_t *out, size_t max_size)
{
    const size_t size = write_image(image, out, max_size);

    if (size && below(image, 8) == 0)
        make_wrong(out, &image->random);
    if (size && below(image, 32))
        repair_checksums(out, size);
    free_image(image);
    return size;
}

size_t mutate_file(uint8_t *bytes, size_t size, size_t max_size, unsigned seed)
{
    uint64_t random = seed;
    struct image *image =
        random_below(&random, 32) ? read_image(bytes, size, max_size, seed) : NULL;

    if (!image || image->n_parts == 0) {
        if (image)
            free_image(image);
        size = LLVMFuzzerMutate(bytes, size, max_size);
        if (random_below(&random, 8))
            repair_checksums(bytes, size);
        return size;
    }
    for (size_t left = 1 + below(image, MAX_CHANGES); left; left--)
        change(image);
    const size_t written = finish(image, bytes, max_size);
    return written ? written : size;
}

size_t splice_files(const uint8_t *first, size_t first_size, const uint8_t *second,
                    size_t second_size, uint8_t *out, size_t max_size, unsigned seed)
{
    struct image *image = read_image(first, first_size, max_size, seed);
    struct image *other = read_image(second, second_size, max_size, seed);

    if (image && other && image->n_parts && other->n_parts) {
        const size_t i = below(image, image->n_parts), j = below(image, other->n_parts);
        if (below(image, 2)) {
            attach(image, second, second_size);
        } else {
            memcpy(image->tables[i], other->tables[j], other->sizes[j]);
            image->sizes[i] = other->sizes[j];
            memcpy(image->parts[i], other->parts[j], PART_SIZE);
        }
    }
    if (other)
        free_image(other);
    if (image && image->n_parts)
        return finish(image, out, max_size);
    if (image)
        free_image(image);
    const size_t n = least(first_size, max_size);
    memcpy(out, first, n);
    return LLVMFuzzerMutate(out, n, max_size);
}
