/* SPDX-License-Identifier: MIT */
/* k-mers: the substrings of k bases of a sequence, as keys of filters and dictionaries.
 *
 *     sequence  A C G T N A C G T T         k = 3
 *     k-mers    A C G
 *                 C G T
 *                   . . .                   three windows hold the N: they are skipped
 *                         A C G
 *                           C G T
 *                             G T T
 *
 * From a k-mer to the hash that filters see, in two steps that are frozen (docs/kmers.md):
 *
 *   - the *key*, 64 bits. k <= 32: two bits for each base (A 0, C 1, G 2, T 3), the first
 *     base highest. k > 32: a polynomial of the bases modulo 2^61 - 1, which can be rolled
 *     from one window to the next; two k-mers that differ have equal keys with probability
 *     at most (k - 1)/2^61, if they were not chosen against the base. Canonical k-mers
 *     take the smaller of the keys of both strands, so that a k-mer and its reverse
 *     complement are one, palindromes included;
 *   - the *hash* of the key's 8 bytes, little-endian, by the filter's own hasher.
 *
 * Dictionaries, which never err, hold exact keys: the 8 bytes of the key for k <= 32, and
 * all bases packed (ninho_kmer_pack) for longer k-mers.
 *
 * Small letters count as capitals. A window with any byte but ACGT is skipped.
 *
 * Threads: a value of any type here belongs to one thread at a time; `const` ones are for
 * any number. Nothing here allocates but where it is said. */
#ifndef NINHO_KMER_KMER_H
#define NINHO_KMER_KMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/ninho.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NINHO_KMER_MAX_K 1024
/* The longest k-mer whose key is the k-mer itself. */
#define NINHO_KMER_MAX_EXACT_K 32
/* Bytes of the longest packed k-mer. */
#define NINHO_KMER_MAX_PACKED (NINHO_KMER_MAX_K / 4)

/* Stored in files: pinned. */
typedef enum ninho_kmer_strand {
    NINHO_KMER_CANONICAL = 1, /* a k-mer and its reverse complement are the same */
    NINHO_KMER_FORWARD = 2    /* as written */
} ninho_kmer_strand;

/* Which k-mers: an index and what it is asked must agree in both. */
typedef struct ninho_kmer_rule {
    uint32_t k; /* 1 .. NINHO_KMER_MAX_K */
    ninho_kmer_strand strand;
} ninho_kmer_rule;

/* NINHO_OK, or NINHO_ERR_ARG with the range in `error`. */
ninho_status ninho_kmer_check_rule(const ninho_kmer_rule *rule, ninho_error *error);

/* "canonical", "forward"; NULL for another number. */
const char *ninho_kmer_strand_name(ninho_kmer_strand strand);

/* ---- The iterator ------------------------------------------------------------------ */

/* Walks the k-mers of a sequence; put it anywhere, on the stack say. Its fields are the
 * library's. */
typedef struct ninho_kmer_iter {
    const uint8_t *bases; /* the sequence; borrowed until the next start */
    size_t n;
    size_t at;    /* how many bases are behind us */
    size_t run;   /* bases from `at` on up to this offset are ACGT */
    uint32_t k;   /* of the rule */
    bool is_long; /* k > NINHO_KMER_MAX_EXACT_K */
    bool is_canonical;
    bool is_warm; /* `forward` and `reverse` have the k - 1 bases before `at` */
    uint64_t forward, reverse; /* of the last k - 1 bases */
    uint64_t mask;             /* short: the low 2k bits */
    uint32_t top;              /* short: 2k - 2 */
    uint64_t weights[4];       /* long: what a base counts at the front of k */
} ninho_kmer_iter;

/* Prepares to walk k-mers of `rule`, which must pass ninho_kmer_check_rule(). Costs a few
 * hundred instructions: do it once, and start on sequences as often as you like. */
void ninho_kmer_init(ninho_kmer_iter *iter, const ninho_kmer_rule *rule);

/* Starts at the beginning of a sequence of n bases, which stays the caller's. */
void ninho_kmer_start(ninho_kmer_iter *iter, const void *bases, size_t n);

/* The key of the next k-mer; false at the end of the sequence. */
bool ninho_kmer_next(ninho_kmer_iter *iter, uint64_t *key);

/* The next k-mers' keys, up to `max`, into keys[]; returns how many. 0 at the end only
 * (unless max is 0). What calls of ninho_kmer_next would give, faster. */
size_t ninho_kmer_next_many(ninho_kmer_iter *iter, uint64_t *keys, size_t max);

/* Where the last k-mer that ninho_kmer_next gave begins: an offset into the sequence. */
size_t ninho_kmer_position(const ninho_kmer_iter *iter);

/* The windows of a sequence of n bases, those that are skipped included. */
uint64_t ninho_kmer_windows(const ninho_kmer_rule *rule, uint64_t n);

/* ---- Keys, hashes, packed k-mers --------------------------------------------------- */

/* hashes[i] = the hash of keys[i] for every i < n; both may be the same array. */
void ninho_kmer_hash(const ninho_hasher *hasher, const uint64_t *keys, size_t n,
                     uint64_t *hashes);

/* Bytes of a k-mer as dictionaries hold it: 8 for k <= 32, otherwise (k + 3) / 4. */
size_t ninho_kmer_exact_size(const ninho_kmer_rule *rule);

/* The k-mer that begins at `bases`, as dictionaries hold it: ninho_kmer_exact_size() bytes
 * to `packed`. k <= 32: the key, little-endian. k > 32: four bases to a byte, the first in
 * the highest bits of the first byte, unused bits 0; of both strands, the one whose bytes
 * are smaller. False, and nothing written, if one of the k bytes is not ACGT. */
bool ninho_kmer_pack(const ninho_kmer_rule *rule, const void *bases, uint8_t *packed);

/* ---- Indexes ----------------------------------------------------------------------- */

/* A filter or a dictionary of k-mers, with the rule it was made by. The filter or the
 * dictionary stays the caller's, and must outlive the index. Plain data. */
typedef struct ninho_kmer_index {
    ninho_kmer_rule rule;
    const ninho_filter *filter; /* one of the two is NULL */
    const ninho_dict *dict;
    ninho_hasher hasher; /* of the filter */
} ninho_kmer_index;

/* Writes the rule into a filter's metadata: kmer.k and kmer.strand. The filter must have
 * been made with key_encoding NINHO_KEY_KMER. NINHO_ERR_ARG, NINHO_ERR_NOMEM, SPACE. */
ninho_status ninho_kmer_mark(ninho_filter *filter, const ninho_kmer_rule *rule);

/* Reads the rule back. NINHO_ERR_MISMATCH if its keys are not k-mers, NINHO_ERR_FORMAT if
 * the metadata is missing or out of range, NINHO_ERR_KEY_MISSING for a keyed filter without its
 * secret; `index` is untouched then. */
ninho_status ninho_kmer_index_filter(ninho_kmer_index *index, const ninho_filter *filter,
                                     ninho_error *error);

/* Dictionaries have no metadata: the value of every k-mer tells the rule. This is that
 * value, for ninho_dict_put(). */
uint64_t ninho_kmer_dict_value(const ninho_kmer_rule *rule);

/* The same for a dictionary, which must hold one k-mer at least. */
ninho_status ninho_kmer_index_dict(ninho_kmer_index *index, const ninho_dict *dict,
                                   ninho_error *error);

/* NINHO_OK if k-mers by `rule` can be looked up in this index, otherwise
 * NINHO_ERR_MISMATCH: `error` names what differs. */
ninho_status ninho_kmer_index_agrees(const ninho_kmer_index *index,
                                     const ninho_kmer_rule *rule, ninho_error *error);

/* ---- Whole sequences --------------------------------------------------------------- */

/* What was found of one sequence. */
typedef struct ninho_kmer_count {
    uint64_t n_kmers;   /* windows of ACGT alone */
    uint64_t n_found;   /* of them, those the index has (a filter: may have) */
    uint64_t n_skipped; /* windows with something else */
} ninho_kmer_count;

/* Adds all k-mers of a sequence to a filter, in batches, and to *count how many there were
 * and how many windows were skipped. `index` is that of the filter. What
 * ninho_filter_add_many() answers; after a failure some k-mers are in the filter, and *count
 * is untouched. A k-mer that comes twice is added twice: filters that store copies have room
 * for few of one key. */
ninho_status ninho_kmer_add(ninho_filter *filter, const ninho_kmer_index *index,
                            const void *bases, size_t n, ninho_kmer_count *count);

/* The same for a dictionary, of key_size ninho_kmer_exact_size() or any, which has each k-mer
 * once. What ninho_dict_put() answers. */
ninho_status ninho_kmer_put(ninho_dict *dict, const ninho_kmer_rule *rule,
                            const void *bases, size_t n, ninho_kmer_count *count);

/* Lookups in batches that go across the borders of sequences. Put it anywhere (about 48
 * KiB: not on a small stack). Its fields are the library's. */
#define NINHO_KMER_BATCH 2048
typedef struct ninho_kmer_screen {
    const ninho_kmer_index *index;
    ninho_kmer_iter iter;
    size_t n;           /* keys waiting */
    size_t n_stretches; /* of which sequence they are: */
    ninho_kmer_count *counts[NINHO_KMER_BATCH];
    uint32_t ends[NINHO_KMER_BATCH];
    uint64_t keys[NINHO_KMER_BATCH];
    uint64_t found[NINHO_KMER_BATCH / 64 + 1];
} ninho_kmer_screen;

void ninho_kmer_screen_init(ninho_kmer_screen *screen, const ninho_kmer_index *index);

/* Looks up all k-mers of a sequence and adds to *count what it finds: at once, or with
 * later sequences. *count must stay where it is until the next ninho_kmer_screen_flush(),
 * which makes all counts final; `bases` are needed no more when this returns. */
void ninho_kmer_screen_add(ninho_kmer_screen *screen, const void *bases, size_t n,
                           ninho_kmer_count *count);
void ninho_kmer_screen_flush(ninho_kmer_screen *screen);

/* ---- Exact sets -------------------------------------------------------------------- */

/* The distinct k-mers of sequences, exactly, for any k: for k > 32 it keeps the bases too
 * (two bits each), and k-mers with equal keys are compared base by base. */
typedef struct ninho_kmer_set ninho_kmer_set;

/* NINHO_ERR_ARG, NINHO_ERR_NOMEM. *out is the caller's, freed with ninho_kmer_set_free().
 * It allocates with malloc. */
ninho_status ninho_kmer_set_create(const ninho_kmer_rule *rule, ninho_kmer_set **out,
                                   ninho_error *error);
void ninho_kmer_set_free(ninho_kmer_set *set);

/* Bytes that adding a sequence of n bases would allocate on top of what there is: ask the
 * system before it is too late. 0 if there is room already. */
uint64_t ninho_kmer_set_need(const ninho_kmer_set *set, uint64_t n);

/* Takes in all k-mers of a sequence, which is not kept. NINHO_ERR_NOMEM: nothing was
 * added. */
ninho_status ninho_kmer_set_add(ninho_kmer_set *set, const void *bases, size_t n);

/* All k-mers so far, the distinct ones among them, and the windows skipped. */
uint64_t ninho_kmer_set_total(const ninho_kmer_set *set);
uint64_t ninho_kmer_set_distinct(const ninho_kmer_set *set);
uint64_t ninho_kmer_set_skipped(const ninho_kmer_set *set);

/* Adds to *count how many of this sequence's k-mers are in the set. NINHO_ERR_NOMEM:
 * *count is untouched. */
ninho_status ninho_kmer_set_count(const ninho_kmer_set *set, const void *bases, size_t n,
                                  ninho_kmer_count *count);

/* ---- How sure a sample makes us ---------------------------------------------------- */

/* The share of something, from a sample that was looked up in a filter. */
typedef struct ninho_kmer_share {
    double found;     /* n_found / n */
    double corrected; /* without false positives: (found - fpr) / (1 - fpr), in 0..1 */
    double low, high; /* a 95 % interval of the corrected one (Wilson's, corrected) */
    double at_least;  /* with 95 % confidence the share is this or more (exact binomial,
                       * one-sided), corrected */
} ninho_kmer_share;

/* n >= 1, n_found <= n, 0 <= fpr < 1. */
ninho_kmer_share ninho_kmer_share_of(uint64_t n, uint64_t n_found, double fpr);

#ifdef __cplusplus
}
#endif

#endif
