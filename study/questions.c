/* SPDX-License-Identifier: MIT */
/* The questions, in the order of the report. */
#include "study.h"

#include "01-promised-and-measured/run.h"
#include "03-hyphenation/run.h"
#include "04-hyphenation-stores/run.h"
#include "05-original-stack/run.h"
#include "09-dictionaries/run.h"
#ifdef HAVE_SHA1
#include "20-fewer-relocations/run.h"
#include "22-found-again/run.h"
#endif
#include "21-relocation-curve/run.h"
#include "23-same-genome/run.h"
#include "31-bloom-theory/run.h"
#include "32-bits-per-key/run.h"
#include "33-lookups/run.h"
#include "34-pairing/run.h"
#include "35-cuckoo-insertion/run.h"
#include "36-compaction/run.h"
#include "40-cache-admission/run.h"
#include "41-state-space/run.h"
#include "42-between-hosts/run.h"
#include "43-routing/run.h"
#include "44-lsm/run.h"
#include "45-semijoin/run.h"

const struct question questions[] = {
    {
        .name = "01-promised-and-measured",
        .title = "Promised and measured",
        .claim = "Every kind of filter keeps its promised false positive rate: at full "
                 "capacity at most 1.1 times the rate it was asked for, and no key that "
                 "was added is ever denied.",
        .rows = "",
        .figures = promised_figures,
        .run = run_promised_and_measured,
        .seconds = 20,
    },
    {
        .name = "03-hyphenation",
        .title = "Hyphenation behind a filter, in C",
        .claim = "In C, too, hyphenation is faster behind a larger false positive rate, "
                 "and a Bloom filter and a cuckoo filter differ as the monograph's six "
                 "figures say.",
        .rows = "A1c A2c A3c A4c A5c A6c A7c",
        .figures = hyphenation_figures,
        .run = run_hyphenation,
        .seconds = 45,
    },
    {
        .name = "04-hyphenation-stores",
        .title = "Stores of exceptions, with and without a filter",
        .claim =
            "A filter in front of the exceptions makes hyphenation faster, whatever the "
            "store behind it is.",
        .rows = "A8",
        .figures = hyphenation_stores_figures,
        .run = run_hyphenation_stores,
        .seconds = 30,
    },
    {
        .name = "05-original-stack",
        .title = "The original stack",
        .claim =
            "The monograph's program, run as it was published, hyphenates as with the "
            "exact list of exceptions, and its filter makes it faster.",
        .rows = "A1 A2 A3 A4 A5 A6 A7",
        .figures = original_stack_figures,
        .run = run_original_stack,
        .seconds = 140,
    },
    {
        .name = "09-dictionaries",
        .title = "Exact dictionaries",
        .claim =
            "Chaining, linear probing and cuckoo hashing differ as the textbooks say: "
            "expected constant time, worst cases, and what functions, buckets and a "
            "stash do for cuckoo hashing.",
        .rows = "A18 B5 B6 B8",
        .figures = dictionaries_figures,
        .run = run_dictionaries,
        .seconds = 35,
    },
#ifdef HAVE_SHA1
    {
        .name = "20-fewer-relocations",
        .title = "Fewer relocations",
        .claim = "In the seminar's own tables of E. coli k-mers, putting a key into the "
                 "emptier of its two buckets is better than into a random one: fewer "
                 "relocations, in no more time.",
        .rows = "C1 C2 C2f C3 C4 C4f C5 C6 C7 C9 C10 C11",
        .figures = fewer_relocations_figures,
        .run = run_fewer_relocations,
        .seconds = 30,
    },
#endif
    {
        .name = "21-relocation-curve",
        .title = "What the emptier place is worth, load by load",
        .claim = "Putting a tag into the emptier of its two places makes fewer "
                 "relocations at every load from .50 to .98.",
        .rows = "",
        .figures = relocation_curve_figures,
        .run = run_relocation_curve,
        .seconds = 4,
    },
#ifdef HAVE_SHA1
    {
        .name = "22-found-again",
        .title = "Found again",
        .claim = "Every k-mer that the seminar's filters count as stored is found "
                 "again.",
        .rows = "C8",
        .figures = found_again_figures,
        .run = run_found_again,
        .seconds = 11,
    },
#endif
    {
        .name = "23-same-genome",
        .title = "The same genome?",
        .claim =
            "Looking up random substrings of one genome in a filter of another tells "
            "how much they share, with the stated confidence.",
        .rows = "C12",
        .figures = same_genome_figures,
        .run = run_same_genome,
        .seconds = 9,
    },
    {
        .name = "31-bloom-theory",
        .title = "The Bloom filter's formulas",
        .claim = "The rate of a Bloom filter is (1 − e^(−kn/m))^k, least at k = ln 2 · "
                 "m/n, where it is 0.6185^(m/n).",
        .rows = "A14 B3 B4",
        .figures = bloom_theory_figures,
        .run = run_bloom_theory,
        .seconds = 3,
    },
    {
        .name = "32-bits-per-key",
        .title = "Bits per key",
        .claim = "Any filter needs at least n · log2 e · log2(1/ε) bits.",
        .rows = "A11 A16 B1",
        .figures = bits_per_key_figures,
        .run = run_bits_per_key,
        .seconds = 6,
    },
    {
        .name = "33-lookups",
        .title = "The time of a lookup",
        .claim = "A cuckoo filter looks up faster than a Bloom filter of the same rate, "
                 "even at 95 % load.",
        .rows = "A9 A10 B2",
        .figures = lookups_figures,
        .run = run_lookups,
        .seconds = 12,
    },
    {
        .name = "34-pairing",
        .title = "The tag or its hash",
        .claim = "Hashing the tag before it is combined with the first place fills the "
                 "table further and spreads the two places apart.",
        .rows = "A13",
        .figures = pairing_figures,
        .run = run_pairing,
        .seconds = 5,
    },
    {
        .name = "35-cuckoo-insertion",
        .title = "Inserting into a cuckoo filter",
        .claim =
            "Inserting takes amortised constant time: as many moves in a large table "
            "as in a small one of the same load.",
        .rows = "A12",
        .figures = cuckoo_insertion_figures,
        .run = run_cuckoo_insertion,
        .seconds = 5,
    },
    {
        .name = "36-compaction",
        .title = "Hash compaction",
        .claim =
            "Compressed to l bits, keys err with at most 2^(−l), and none collide once "
            "l ≥ log2 n.",
        .rows = "A15",
        .figures = compaction_figures,
        .run = run_compaction,
        .seconds = 1,
    },
    {
        .name = "40-cache-admission",
        .title = "Cache admission",
        .claim =
            "A filter in front of a cache, which lets an object in when it is asked "
            "for the second time, keeps nearly all objects out that are asked for "
            "once: fewer bytes are written, and the hit rate does not fall, whatever "
            "the size of the cache.",
        .rows = "B7",
        .figures = cache_admission_figures,
        .run = run_cache_admission,
        .seconds = 8,
    },
    {
        .name = "41-state-space",
        .title = "State-space search",
        .claim =
            "A search that remembers in a filter where it was misses few states, and "
            "at equal memory a Bloom filter misses fewer of them than hash "
            "compaction.",
        .rows = "",
        .figures = state_space_figures,
        .run = run_state_space,
        .seconds = 8,
    },
    {
        .name = "42-between-hosts",
        .title = "Between two hosts",
        .claim =
            "The difference of two sets can be found with bytes in proportion to the "
            "difference: a sketch beats filters of the whole sets while the "
            "difference is small, and choosing by itself costs at most a tenth more "
            "than the best way.",
        .rows = "",
        .figures = between_hosts_figures,
        .run = run_between_hosts,
        .seconds = 10,
    },
    {
        .name = "43-routing",
        .title = "Routing by filters",
        .claim =
            "In a network whose links are known by filters a request never misses what "
            "is there, and makes wrong turns in proportion to the filters' rate.",
        .rows = "A17",
        .figures = routing_figures,
        .run = run_routing,
        .seconds = 10,
    },
    {
        .name = "44-lsm",
        .title = "Filters in an LSM database",
        .claim =
            "With a filter for each block a get of an absent key reads hardly any "
            "block. At equal bytes, from the usual 10 bits per key on, our Bloom filter "
            "lets no more of them through than LevelDB's own, and a get takes no "
            "longer.",
        .rows = "",
        .figures = lsm_figures,
        .exploratory =
            "that the claim begins at 10 bits, and that 5 % counts as no longer, was "
            "chosen after runs had shown how LevelDB's own filter does below.",
        .run = run_lsm,
        .seconds = 40,
    },
    {
        .name = "45-semijoin",
        .title = "A filter between two servers",
        .claim =
            "When two PostgreSQL servers join, ninho_semijoin moves, by its own choice, "
            "at most 1.1 times the bytes of the better of filter and list, whatever the "
            "number of keys, the share of the remote rows that match, and their width, "
            "and where it has to ask for the sizes at most a kilobyte more; with a key "
            "to a hundred rows, half of the keys matching, at least 90 times fewer bytes "
            "than the plain join, in less time.",
        .rows = "",
        .figures = semijoin_figures,
        .exploratory =
            "the factor of 1.1, the kilobyte and the 90 times were written down after "
            "runs of earlier versions of the helper.",
        .run = run_semijoin,
        .seconds = 40,
    },
    {.name = NULL},
};
