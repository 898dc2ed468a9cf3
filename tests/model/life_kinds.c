/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "model/life.h"

enum { MOST_KEYS = 50000, FIRST_CAPACITY = 500 };

/* ---- Filters: a key is its own hash --------------------------------------------------------- */

static void filter_make(struct life *life)
{
    const ninho_spec *given = life->kind->detail;
    ninho_spec spec = *given;
    ninho_filter *filter = NULL;

    spec.size_of_struct = sizeof spec;
    spec.key_encoding = NINHO_KEY_HASHES;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    life->subject = filter;
}

static void filter_free(void *subject)
{
    ninho_filter_free(subject);
}

static bool filter_add(void *subject, uint64_t key, uint64_t copies)
{
    const bool had = ninho_filter_has(subject, key);
    const ninho_status status = ninho_filter_add(subject, key);

    (void)copies;
    CHECK(status == NINHO_OK || status == NINHO_ERR_FULL);
    CHECK(!status || ninho_filter_has(subject, key) == had);
    return !status;
}

static void filter_take(void *subject, uint64_t key, uint64_t copies_left)
{
    (void)copies_left;
    CHECK_OK(ninho_filter_remove(subject, key));
}

static void filter_take_absent(void *subject, uint64_t key)
{
    CHECK_STATUS(ninho_filter_remove(subject, key), NINHO_ERR_NOT_FOUND);
}

static uint64_t filter_copies(const void *subject, uint64_t key)
{
    return ninho_filter_copies(subject, key);
}

static bool filter_has(const void *subject, uint64_t key)
{
    return ninho_filter_has(subject, key);
}

static void filter_has_many(const void *subject, const uint64_t *keys, size_t n,
                            uint64_t *found)
{
    ninho_filter_has_many(subject, keys, n, found);
}

static void filter_clear(void *subject)
{
    CHECK_OK(ninho_filter_clear(subject));
}

/* Anew, from all keys of the twin. */
static void fuse_make(struct life *life)
{
    const ninho_spec *given = life->kind->detail;
    ninho_spec spec = *given;
    ninho_filter *filter = NULL;
    const size_t n = life->twin.n_distinct;
    uint64_t *hashes = malloc((n + 1) * sizeof *hashes);

    CHECK(hashes);
    for (size_t i = 0; i < n; i++)
        hashes[i] = life->twin.entries[i].key;
    spec.size_of_struct = sizeof spec;
    spec.key_encoding = NINHO_KEY_HASHES;
    spec.capacity = n ? n : 1;
    spec.seed = rng_next(&life->rng);
    CHECK_OK(ninho_filter_build(&spec, hashes, n, NULL, &filter, NULL));
    free(hashes);
    ninho_filter_free(life->subject);
    life->subject = filter;
}

static void filter_check(const struct life *life)
{
    CHECK_OK(ninho_filter_verify(life->subject, NULL));
    CHECK_U64(ninho_filter_count(life->subject),
              life->kind->build ? life->twin.n_distinct : life->twin.n_keys);
}

static uint64_t filter_look(const void *subject, double *fpr)
{
    ninho_info info = NINHO_INFO_INIT;

    CHECK_OK(ninho_filter_info(subject, &info));
    *fpr = info.fpr_expected;
    return info.table_bytes;
}

static void filter_save(void *subject, const char *path)
{
    CHECK_OK(ninho_filter_save(subject, path, NULL));
}

static void *filter_open(const struct life *life)
{
    ninho_filter *filter = NULL;

    CHECK_OK(ninho_filter_open(life->path, NULL, &filter, NULL));
    return filter;
}

static void *filter_map(const struct life *life)
{
    ninho_filter *filter = NULL;

    CHECK_OK(ninho_filter_map(life->path, NULL, &filter, NULL));
    return filter;
}

/* ---- Dictionaries: the value is the number of copies ---------------------------------------- */

struct dict_detail {
    ninho_dict_kind kind;
    uint32_t key_size; /* 8, or 0: any */
};

/* Where keys may have any length, the number decides on one from 8 to 23 bytes. */
struct dict_subject {
    ninho_dict *dict;
    bool has_any_size;
};

static size_t key_bytes(bool has_any_size, uint64_t key, uint8_t bytes[24])
{
    memset(bytes, 7, 24);
    memcpy(bytes, &key, 8);
    return has_any_size ? 8 + (size_t)(key % 16) : 8;
}

static struct dict_subject *dict_wrap(const struct life *life, ninho_dict *dict)
{
    const struct dict_detail *detail = life->kind->detail;
    struct dict_subject *subject = malloc(sizeof *subject);

    CHECK(subject);
    *subject = (struct dict_subject){dict, !detail->key_size};
    return subject;
}

static void dict_make(struct life *life)
{
    const struct dict_detail *detail = life->kind->detail;
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict *dict = NULL;

    spec.kind = detail->kind;
    spec.key_size = detail->key_size;
    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    life->subject = dict_wrap(life, dict);
}

static void dict_free(void *subject)
{
    struct dict_subject *of = subject;

    ninho_dict_free(of->dict);
    free(of);
}

static bool dict_add(void *subject, uint64_t key, uint64_t copies)
{
    struct dict_subject *of = subject;
    uint8_t bytes[24];
    const size_t size = key_bytes(of->has_any_size, key, bytes);
    bool is_new = false;

    CHECK_OK(ninho_dict_put(of->dict, bytes, size, copies, &is_new));
    CHECK(is_new == (copies == 1));
    return true;
}

static void dict_take(void *subject, uint64_t key, uint64_t copies_left)
{
    struct dict_subject *of = subject;
    uint8_t bytes[24];
    const size_t size = key_bytes(of->has_any_size, key, bytes);

    if (copies_left)
        CHECK_OK(ninho_dict_take_copies(of->dict, bytes, size, 1));
    else
        CHECK_OK(ninho_dict_remove(of->dict, bytes, size));
}

static void dict_take_absent(void *subject, uint64_t key)
{
    struct dict_subject *of = subject;
    uint8_t bytes[24];
    const size_t size = key_bytes(of->has_any_size, key, bytes);

    CHECK_STATUS(ninho_dict_remove(of->dict, bytes, size), NINHO_ERR_NOT_FOUND);
}

static uint64_t dict_copies(const void *subject, uint64_t key)
{
    const struct dict_subject *of = subject;
    uint8_t bytes[24];
    const size_t size = key_bytes(of->has_any_size, key, bytes);

    return ninho_dict_copies(of->dict, bytes, size);
}

static bool dict_has(const void *subject, uint64_t key)
{
    const struct dict_subject *of = subject;
    uint8_t bytes[24];
    const size_t size = key_bytes(of->has_any_size, key, bytes);

    return ninho_dict_get(of->dict, bytes, size, NULL);
}

static void dict_has_many(const void *subject, const uint64_t *keys, size_t n,
                          uint64_t *found)
{
    const struct dict_subject *of = subject;
    uint8_t bytes[LIFE_BATCH][24];
    const void *pointers[LIFE_BATCH];
    size_t sizes[LIFE_BATCH];

    for (size_t i = 0; i < n; i++) {
        pointers[i] = bytes[i];
        sizes[i] = key_bytes(of->has_any_size, keys[i], bytes[i]);
    }
    ninho_dict_get_many(of->dict, pointers, sizes, n, NULL, found);
}

static void dict_clear(void *subject)
{
    struct dict_subject *of = subject;

    CHECK_OK(ninho_dict_clear(of->dict));
}

static void dict_check(const struct life *life)
{
    const struct dict_subject *of = life->subject;

    CHECK_OK(ninho_dict_verify(of->dict, NULL));
    CHECK_U64(ninho_dict_count(of->dict), life->twin.n_distinct);
}

static uint64_t dict_look(const void *subject, double *fpr)
{
    const struct dict_subject *of = subject;
    ninho_dict_info info = NINHO_DICT_INFO_INIT;

    CHECK_OK(ninho_dict_info_of(of->dict, &info));
    *fpr = 0;
    return info.n_slots;
}

static void dict_save(void *subject, const char *path)
{
    struct dict_subject *of = subject;

    CHECK_OK(ninho_dict_save(of->dict, path, NULL));
}

static void *dict_open(const struct life *life)
{
    ninho_dict *dict = NULL;

    CHECK_OK(ninho_dict_open(life->path, NULL, &dict, NULL));
    return dict_wrap(life, dict);
}

/* ---- Checked filters ------------------------------------------------------------------------ */

static void checked_make(struct life *life)
{
    const ninho_spec *given = life->kind->detail;
    ninho_spec spec = *given;
    ninho_checked *checked = NULL;

    spec.size_of_struct = sizeof spec;
    CHECK_OK(ninho_checked_create(&spec, NULL, &checked, NULL));
    life->subject = checked;
}

static void checked_free(void *subject)
{
    ninho_checked_free(subject);
}

static bool checked_add(void *subject, uint64_t key, uint64_t copies)
{
    bool was_there = false;
    const ninho_status status =
        ninho_checked_add_key(subject, &key, sizeof key, &was_there);

    CHECK(status == NINHO_OK || status == NINHO_ERR_FULL);
    CHECK(status || was_there == (copies > 1));
    CHECK(!status || ninho_checked_copies(subject, &key, sizeof key) == copies - 1);
    return !status;
}

static void checked_take(void *subject, uint64_t key, uint64_t copies_left)
{
    (void)copies_left;
    CHECK_OK(ninho_checked_remove_key(subject, &key, sizeof key));
}

static void checked_take_absent(void *subject, uint64_t key)
{
    CHECK_STATUS(ninho_checked_remove_key(subject, &key, sizeof key),
                 NINHO_ERR_NOT_FOUND);
}

static uint64_t checked_copies(const void *subject, uint64_t key)
{
    return ninho_checked_copies(subject, &key, sizeof key);
}

static bool checked_has(const void *subject, uint64_t key)
{
    const bool is_there = ninho_checked_copies(subject, &key, sizeof key) != 0;

    return is_there &&
           ninho_filter_has_key(ninho_checked_filter(subject), &key, sizeof key);
}

static void checked_has_many(const void *subject, const uint64_t *keys, size_t n,
                             uint64_t *found)
{
    *found = 0;
    for (size_t i = 0; i < n; i++)
        *found |= (uint64_t)checked_has(subject, keys[i]) << i;
}

static void checked_check(const struct life *life)
{
    CHECK_OK(ninho_checked_verify(life->subject, NULL));
    CHECK_U64(ninho_dict_count(ninho_checked_dict(life->subject)), life->twin.n_distinct);
    CHECK_U64(ninho_filter_count(ninho_checked_filter(life->subject)), life->twin.n_keys);
}

static uint64_t checked_look(const void *subject, double *fpr)
{
    return filter_look(ninho_checked_filter(subject), fpr);
}

static void checked_save(void *subject, const char *path)
{
    CHECK_OK(ninho_checked_save(subject, path, NULL));
}

static void *checked_open(const struct life *life)
{
    ninho_checked *checked = NULL;

    CHECK_OK(ninho_checked_open(life->path, NULL, &checked, NULL));
    return checked;
}

/* ---- The list ------------------------------------------------------------------------------- */

#define FILTER(...)             \
    &(const ninho_spec)         \
    {                           \
        .fpr = .01, __VA_ARGS__ \
    }

#define FILTER_CALLS                                                     \
    .free = filter_free, .has = filter_has, .has_many = filter_has_many, \
    .check = filter_check, .look = filter_look, .save = filter_save,     \
    .open = filter_open, .open_for_readers = filter_map

#define CAN_ADD .make = filter_make, .add = filter_add, .clear = filter_clear
#define CAN_REMOVE                                                   \
    CAN_ADD, .take = filter_take, .take_absent = filter_take_absent, \
             .copies = filter_copies

#define DICT(of_kind, size)                   \
    &(const struct dict_detail)               \
    {                                         \
        .kind = (of_kind), .key_size = (size) \
    }

#define DICT_CALLS                                                                  \
    .is_exact = true, .most_keys = MOST_KEYS, .make = dict_make, .free = dict_free, \
    .add = dict_add, .take = dict_take, .take_absent = dict_take_absent,            \
    .copies = dict_copies, .has = dict_has, .has_many = dict_has_many,              \
    .clear = dict_clear, .check = dict_check, .look = dict_look, .save = dict_save, \
    .open = dict_open, .open_for_readers = dict_open

/* A cuckoo filter has room for so many copies of one key and no more. */
#define CHECKED_CALLS                                                                   \
    .is_exact = true, .may_refuse = true, .most_keys = MOST_KEYS, .make = checked_make, \
    .free = checked_free, .add = checked_add, .take = checked_take,                     \
    .take_absent = checked_take_absent, .copies = checked_copies, .has = checked_has,   \
    .has_many = checked_has_many, .check = checked_check, .look = checked_look,         \
    .save = checked_save, .open = checked_open, .open_for_readers = checked_open

/* One line for each kind. Those that grow begin small. */
/* clang-format off */
const struct life_kind life_kinds[] = {
    {"bloom", FILTER_CALLS, CAN_ADD, .most_keys = MOST_KEYS, .detail = FILTER(.kind = NINHO_BLOOM, .capacity = MOST_KEYS)},
    {"blocked", FILTER_CALLS, CAN_ADD, .most_keys = MOST_KEYS, .detail = FILTER(.kind = NINHO_BLOCKED, .capacity = MOST_KEYS)},
    {"counting", FILTER_CALLS, CAN_REMOVE, .most_keys = MOST_KEYS, .detail = FILTER(.kind = NINHO_COUNTING, .capacity = MOST_KEYS)},
    {"cuckoo", FILTER_CALLS, CAN_REMOVE, .may_refuse = true, .most_keys = MOST_KEYS, .detail = FILTER(.kind = NINHO_CUCKOO, .capacity = MOST_KEYS)},
    {"quotient", FILTER_CALLS, CAN_REMOVE, .most_keys = MOST_KEYS, .detail = FILTER(.kind = NINHO_QUOTIENT, .capacity = FIRST_CAPACITY, .max_capacity = MOST_KEYS)},
    {"compact", FILTER_CALLS, CAN_REMOVE, .most_keys = MOST_KEYS, .detail = FILTER(.kind = NINHO_COMPACT, .capacity = FIRST_CAPACITY, .max_capacity = MOST_KEYS)},
    {"scalable over blocked", FILTER_CALLS, CAN_ADD, .most_keys = MOST_KEYS, .detail = FILTER(.kind = NINHO_SCALABLE, .capacity = FIRST_CAPACITY)},
    {"scalable over cuckoo", FILTER_CALLS, CAN_REMOVE, .may_refuse = true, .most_keys = MOST_KEYS, .detail = FILTER(.kind = NINHO_SCALABLE, .base = NINHO_CUCKOO, .capacity = FIRST_CAPACITY)},
    {"fuse", FILTER_CALLS, .make = fuse_make, .build = fuse_make, .most_keys = MOST_KEYS, .detail = FILTER(.kind = NINHO_FUSE)},
    {"ribbon", FILTER_CALLS, .make = fuse_make, .build = fuse_make, .most_keys = MOST_KEYS, .detail = FILTER(.kind = NINHO_RIBBON)},
    {"chain", DICT_CALLS, .detail = DICT(NINHO_CHAIN, 0)},
    {"probe", DICT_CALLS, .detail = DICT(NINHO_PROBE, 0)},
    {"probe, 8 bytes", DICT_CALLS, .detail = DICT(NINHO_PROBE, 8)},
    {"cuckoo-table", DICT_CALLS, .detail = DICT(NINHO_CUCKOO_TABLE, 0)},
    {"cuckoo-table, 8 bytes", DICT_CALLS, .detail = DICT(NINHO_CUCKOO_TABLE, 8)},
    {"checked cuckoo", CHECKED_CALLS, .detail = FILTER(.kind = NINHO_CUCKOO, .capacity = MOST_KEYS)},
    {"checked quotient", CHECKED_CALLS, .detail = FILTER(.kind = NINHO_QUOTIENT, .capacity = FIRST_CAPACITY, .max_capacity = MOST_KEYS)},
};
/* clang-format on */
const size_t n_life_kinds = sizeof life_kinds / sizeof *life_kinds;
