/* SPDX-License-Identifier: MIT */
/* Filters that several threads use: shared adds, and readers beside the writer (sharing.h). */
#include <string.h>

#include <ninho/inline.h>
#include <ninho/shared.h>

#include "base/bits.h"
#include "base/status.h"
#include "filter/sharing.h"

/* ---- Shared adds -------------------------------------------------------------------- */

ninho_status ninho_filter_add_many_shared(ninho_filter *filter, const uint64_t *hashes,
                                          size_t n)
{
    if (!filter || (n && !hashes))
        return NINHO_ERR_ARG;
    if (filter->is_read_only || filter->live.observer || !filter->family->add_shared)
        return NINHO_ERR_UNSUPPORTED;
    if (!nh_has_uncounted(filter))
        NINHO_ATOMIC_STORE_(&filter->has_uncounted, 1);
    filter->family->add_shared(filter->parts, hashes, n);
    return NINHO_OK;
}

ninho_status ninho_filter_add_shared(ninho_filter *filter, uint64_t hash)
{
    return ninho_filter_add_many_shared(filter, &hash, 1);
}

ninho_status ninho_filter_add_key_shared(ninho_filter *filter, const void *key,
                                         size_t key_size)
{
    uint64_t hash;
    const ninho_status status = nh_hash_key(filter, key, key_size, &hash);

    return status ? status : ninho_filter_add_many_shared(filter, &hash, 1);
}

/* ---- Lists of tables ---------------------------------------------------------------- */

/* What a thread needs to ask. `seen` is the number of the oldest list that it may look at. */
struct ninho_reader {
    struct nh_sharing *sharing;
    const struct nh_list *list;
    ninho_handle_keys keys;
    _Atomic uint32_t seen;
    atomic_bool is_closed;
    ninho_reader *next;
};

static struct nh_list *published(const struct nh_sharing *sharing)
{
    return atomic_load_explicit(&sharing->list, memory_order_relaxed);
}

static bool is_in(const struct nh_list *list, const void *block)
{
    for (uint32_t i = 0; i < list->n_parts; i++)
        if (list->parts[i].part.table.block == block)
            return true;
    return false;
}

void nh_live_free_table(const struct nh_live *live, struct nh_table *table)
{
    if (live->sharing && is_in(published(live->sharing), table->block))
        *table = (struct nh_table){0}; /* it is freed with the list */
    else
        nh_table_free(live->alloc, table);
}

bool nh_sharing_reserve(const struct nh_live *live)
{
    struct nh_sharing *const sharing = live->sharing;

    if (!sharing->spare)
        sharing->spare = nh_alloc_zeroed(live->alloc, sharing->list_size);
    return sharing->spare != NULL;
}

/* Whether readers see the tables as they are. */
static bool is_published(const ninho_filter *filter)
{
    const struct nh_list *const list = published(filter->live.sharing);

    if (list->n_parts != filter->n_parts)
        return false;
    for (uint32_t i = 0; i < list->n_parts; i++) {
        const struct nh_part *const ours = &filter->parts[i];
        const struct nh_part *const theirs = &list->parts[i].part;
        if (ours->body != theirs->body || ours->n_cells != theirs->n_cells ||
            ours->stored[0] != theirs->stored[0])
            return false;
    }
    return true;
}

/* The spare list becomes what readers see, and the one before it retires. */
static void publish(ninho_filter *filter, uint32_t number)
{
    struct nh_sharing *const sharing = filter->live.sharing;
    struct nh_list *const list = sharing->spare, *const old = published(sharing);

    sharing->spare = NULL;
    list->number = number;
    list->n_parts = filter->n_parts;
    list->is_whole = false;
    list->next = NULL;
    for (uint32_t i = 0; i < list->n_parts; i++) {
        struct nh_listed *const listed = &list->parts[i];
        listed->part = filter->parts[i];
        listed->has_beside = sharing->part_family->beside
                                 ? sharing->part_family->beside(&listed->part)
                                 : NULL;
        list->is_whole |= !listed->has_beside;
    }
    atomic_store_explicit(&sharing->list, list, memory_order_release);
    if (!old)
        return;
    if (sharing->newest)
        sharing->newest->next = old;
    else
        sharing->oldest = old;
    sharing->newest = old;
}

/* Frees readers that were closed. */
static void sweep_readers(const ninho_filter *filter)
{
    ninho_reader **at = &filter->live.sharing->readers;

    while (*at) {
        ninho_reader *const reader = *at;
        if (atomic_load_explicit(&reader->is_closed, memory_order_acquire)) {
            *at = reader->next;
            nh_alloc_free(&filter->alloc, reader, sizeof *reader);
        } else {
            at = &reader->next;
        }
    }
}

/* Whether no reader looks at this list any longer, nor at an older one. Numbers may wrap. */
static bool is_left(const struct nh_sharing *sharing, const struct nh_list *list)
{
    for (ninho_reader *reader = sharing->readers; reader; reader = reader->next)
        if ((int32_t)(atomic_load_explicit(&reader->seen, memory_order_acquire) -
                      list->number) <= 0)
            return false;
    return true;
}

/* Frees a list and those of its tables that no newer list has. */
static void free_list(const ninho_filter *filter, struct nh_list *list)
{
    struct nh_sharing *const sharing = filter->live.sharing;
    const struct nh_list *const newer = list->next ? list->next : published(sharing);

    for (uint32_t i = 0; i < list->n_parts; i++)
        if (!is_in(newer, list->parts[i].part.table.block))
            nh_table_free(&filter->alloc, &list->parts[i].part.table);
    if (sharing->spare)
        nh_alloc_free(&filter->alloc, list, sharing->list_size);
    else
        sharing->spare = list;
}

static void free_retired(const ninho_filter *filter, bool is_end)
{
    struct nh_sharing *const sharing = filter->live.sharing;

    sweep_readers(filter);
    while (sharing->oldest && (is_end || is_left(sharing, sharing->oldest))) {
        struct nh_list *const list = sharing->oldest;
        struct nh_list *const next = list->next;
        free_list(filter, list);
        sharing->oldest = next;
        if (!next)
            sharing->newest = NULL;
    }
}

/* ---- Changes ------------------------------------------------------------------------ */

/* The writer's plain stores to tables are meant to be seen in any order but for what the marks
 * order. ThreadSanitizer is not told of them; it watches the marks and the lists. */
#ifdef NINHO_TSAN_
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
#else
#define AnnotateIgnoreWritesBegin(file, line) ((void)0)
#define AnnotateIgnoreWritesEnd(file, line)   ((void)0)
#endif

/* Odd: a change begins, and no store of it may be seen before that. Even: it has ended, and all of
 * them are. */
static void turn_odd(struct nh_sharing *sharing)
{
    sharing->is_odd = true;
    nh_before_store();
    nh_count_up(&sharing->marks->sequence);
    nh_fence(memory_order_release);
}

static void turn_even(struct nh_sharing *sharing)
{
    if (!sharing->is_odd)
        return;
    nh_before_store();
    nh_count_up(&sharing->marks->sequence);
    sharing->is_odd = false;
}

/* The lines that will change are brought near first, so that the sequence is odd for a short time
 * only. */
void nh_sharing_begin(ninho_filter *filter, const uint64_t *hashes, size_t n)
{
    struct nh_sharing *const sharing = filter->live.sharing;

    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    if (!nh_sharing_is_whole(sharing))
        return;
    for (size_t i = 0; i < n; i++)
        (void)nh_filter_has(filter, hashes[i]);
    turn_odd(sharing);
}

void nh_sharing_end(ninho_filter *filter)
{
    struct nh_sharing *const sharing = filter->live.sharing;

    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    if (!is_published(filter))
        publish(filter, published(sharing)->number + 1);
    turn_even(sharing);
    if (sharing->oldest)
        free_retired(filter, false);
}

void nh_sharing_pause(const struct nh_live *live)
{
    turn_even(live->sharing);
}

void nh_sharing_resume(const struct nh_live *live)
{
    if (nh_sharing_is_whole(live->sharing))
        turn_odd(live->sharing);
}

/* ---- Readers ------------------------------------------------------------------------ */

static void free_sharing(ninho_filter *filter, struct nh_sharing *sharing)
{
    nh_alloc_free(&filter->alloc, sharing->spare, sharing->list_size);
    nh_table_free(&filter->alloc, &sharing->marks_table);
    nh_alloc_free(&filter->alloc, sharing, sizeof *sharing);
    filter->live.sharing = NULL;
}

/* The first reader opens. */
static bool start_sharing(ninho_filter *filter)
{
    struct nh_sharing *const sharing = nh_alloc_zeroed(&filter->alloc, sizeof *sharing);

    if (!sharing)
        return false;
    sharing->part_family = filter->part_family;
    sharing->list_size =
        sizeof(struct nh_list) +
        (filter->family->compound ? NH_MAX_PARTS : 1) * sizeof(struct nh_listed);
    filter->live.sharing = sharing;
    if (!nh_table_alloc(&filter->alloc, sizeof *sharing->marks, false,
                        &sharing->marks_table) ||
        !nh_sharing_reserve(&filter->live)) {
        free_sharing(filter, sharing);
        return false;
    }
    sharing->marks = (struct nh_marks *)(void *)sharing->marks_table.bytes;
    publish(filter, 1);
    return true;
}

uint64_t nh_sharing_bytes(const ninho_filter *filter)
{
    const struct nh_sharing *const sharing = filter->live.sharing;
    uint64_t sum = 0;

    if (!sharing)
        return 0;
    sum += sizeof *sharing + sharing->marks_table.block_size + sharing->list_size;
    sum += sharing->spare ? sharing->list_size : 0;
    for (const ninho_reader *reader = sharing->readers; reader; reader = reader->next)
        sum += sizeof *reader;
    for (const struct nh_list *list = sharing->oldest; list; list = list->next) {
        const struct nh_list *const newer = list->next ? list->next : published(sharing);
        sum += sharing->list_size;
        for (uint32_t i = 0; i < list->n_parts; i++)
            if (!is_in(newer, list->parts[i].part.table.block))
                sum += list->parts[i].part.table.block_size;
    }
    return sum;
}

void nh_sharing_free(ninho_filter *filter)
{
    struct nh_sharing *const sharing = filter->live.sharing;

    if (!sharing)
        return;
    for (ninho_reader *reader = sharing->readers; reader; reader = reader->next)
        atomic_store_explicit(&reader->is_closed, true, memory_order_relaxed);
    free_retired(filter, true);
    nh_alloc_free(&filter->alloc, published(sharing), sharing->list_size);
    free_sharing(filter, sharing);
}

ninho_status ninho_reader_open(ninho_filter *filter, ninho_reader **out,
                               ninho_error *error)
{
    if (!filter || !out)
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", filter ? "out" : "filter");
    if (filter->is_read_only || !(filter->family->can & NINHO_CAN_ADD))
        return nh_fail(error, NINHO_ERR_UNSUPPORTED,
                       "nobody changes it: any thread may ask it as it is");
    ninho_reader *const reader = nh_alloc_zeroed(&filter->alloc, sizeof *reader);
    if (!reader || (!filter->live.sharing && !start_sharing(filter))) {
        nh_alloc_free(&filter->alloc, reader, sizeof *reader);
        return nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    }
    sweep_readers(filter);
    reader->sharing = filter->live.sharing;
    reader->list = published(reader->sharing);
    reader->keys = nh_handle_keys_of(filter);
    atomic_init(&reader->seen, reader->list->number);
    atomic_init(&reader->is_closed, false);
    reader->next = reader->sharing->readers;
    reader->sharing->readers = reader;
    *out = reader;
    return NINHO_OK;
}

void ninho_reader_close(ninho_reader *reader)
{
    if (reader)
        atomic_store_explicit(&reader->is_closed, true, memory_order_release);
}

/* ---- Asking ------------------------------------------------------------------------- */

/* The list as it is now. What was loaded from older ones is no longer needed. */
static const struct nh_list *look_up(ninho_reader *reader)
{
    const struct nh_list *const list =
        atomic_load_explicit(&reader->sharing->list, memory_order_acquire);

    if (NINHO_SELDOM_(list != reader->list)) {
        reader->list = list;
        atomic_store_explicit(&reader->seen, list->number, memory_order_release);
    }
    return list;
}

/* As the tables are now and then. */
static bool find(void *reader, uint64_t hash)
{
    const struct nh_list *const list = look_up(reader);

    for (uint32_t i = list->n_parts; i-- > 0;)
        if (list->parts[i].part.has(&list->parts[i].part, hash))
            return true;
    return false;
}

/* The newest first, as removals go: an entry that stands for two keys stays where it is looked for
 * last.
 * Not inlined: its registers would be saved for everyone. */
NH_NOINLINE static bool some_part_has(const struct nh_list *list, uint64_t hash,
                                      struct nh_marks *marks)
{
    for (uint32_t i = list->n_parts; i-- > 0;)
        if (list->parts[i].has_beside(&list->parts[i].part, hash, marks))
            return true;
    return false;
}

bool ninho_reader_has(ninho_reader *reader, uint64_t hash)
{
    if (!reader)
        return true;
    const struct nh_list *const list = look_up(reader);
    struct nh_marks *const marks = reader->sharing->marks;
    if (NINHO_SELDOM_(list->is_whole))
        return nh_look_between(&marks->sequence, find, reader, hash);
    if (list->n_parts == 1)
        return list->parts->has_beside(&list->parts->part, hash, marks);
    return some_part_has(list, hash, marks);
}

bool ninho_reader_has_key(ninho_reader *reader, const void *key, size_t key_size)
{
    uint64_t hash = 0;

    return !reader || ninho_handle_hash_(&reader->keys, key, key_size, &hash) ||
           ninho_reader_has(reader, hash);
}

/* Answers for up to 64 keys, as the tables are now and then: whoever is there is "maybe". */
static uint64_t glance(const ninho_reader *reader, const struct nh_list *list,
                       const uint64_t *hashes, size_t n)
{
    const struct nh_family *const family = reader->sharing->part_family;
    uint64_t maybe = 0;

    for (uint32_t p = 0; p < list->n_parts; p++) {
        const struct nh_part *const part = &list->parts[p].part;
        if (family->has_many)
            family->has_many(part, hashes, n, &maybe);
        for (size_t i = 0; !family->has_many && i < n; i++)
            maybe |= (uint64_t)part->has(part, hashes[i]) << i;
    }
    return maybe;
}

/* The same, and the truth: if something has moved meanwhile, those that were not found are asked for
 * one by one. */
static uint64_t ask_group(ninho_reader *reader, const uint64_t *hashes, size_t n)
{
    const struct nh_list *const list = look_up(reader);
    struct nh_marks *const marks = reader->sharing->marks;
    _Atomic uint32_t *const counter = list->is_whole ? &marks->sequence : &marks->n_moves;
    const uint32_t before = atomic_load_explicit(counter, memory_order_acquire);
    const bool is_steady = !list->is_whole || before % 2 == 0;
    uint64_t maybe = glance(reader, list, hashes, n);

    nh_fence(memory_order_acquire);
    if (is_steady && atomic_load_explicit(counter, memory_order_relaxed) == before)
        return maybe;
    for (uint64_t left = ~maybe & nh_low_mask((unsigned)n); left; left &= left - 1) {
        const unsigned i = nh_lowest_bit64(left);
        maybe |= (uint64_t)ninho_reader_has(reader, hashes[i]) << i;
    }
    return maybe;
}

size_t ninho_reader_has_many(ninho_reader *reader, const uint64_t *hashes, size_t n,
                             uint64_t *maybe)
{
    size_t n_maybe = 0;

    for (size_t at = 0; at < n; at += 64) {
        const size_t n_group = n - at < 64 ? n - at : 64;
        const uint64_t answers = reader && hashes
                                     ? ask_group(reader, hashes + at, n_group)
                                     : nh_low_mask((unsigned)n_group);
        n_maybe += nh_popcount(answers);
        if (maybe)
            maybe[at / 64] = answers;
    }
    return n_maybe;
}
