/* SPDX-License-Identifier: MIT */
/* Keys, hashes, exact sets and indexes of k-mers, beside k-mers as strings: every k from 1 to 70,
 * and some above, both strand rules. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "naive.h"

#define PRIME UINT64_C(0x1FFFFFFFFFFFFFFF)
#define BASE  UINT64_C(0x13C6EF372FE94F82)

/* Calls `body` for every rule that is tried. */
static void for_every_rule(void (*body)(const ninho_kmer_rule *rule,
                                        struct test_rng *rng))
{
    static const uint32_t longer[] = {95,  96,  97,   100,  127, 128,
                                      200, 511, 1000, 1023, 1024};
    struct test_rng rng = {test_seed(36)};

    for (uint32_t i = 1; i <= 70 + sizeof longer / sizeof *longer; i++) {
        for (int strand = NINHO_KMER_CANONICAL; strand <= NINHO_KMER_FORWARD; strand++) {
            const ninho_kmer_rule rule = {.k = i <= 70 ? i : longer[i - 71],
                                          .strand = (ninho_kmer_strand)strand};
            test_where("k %u, strand %d", rule.k, strand);
            body(&rule, &rng);
        }
    }
}

/* a * b modulo the prime, by doubling: slow and plain. */
static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t result = 0;

    for (; b; b >>= 1) {
        if (b & 1)
            result = (result + a) % PRIME;
        a = a * 2 % PRIME;
    }
    return result;
}

static uint64_t code_of(char base)
{
    return (uint64_t)(strchr("ACGT", base) - "ACGT");
}

static uint64_t key_of_string(const char *kmer, size_t k)
{
    uint64_t key = 0;

    for (size_t i = 0; i < k; i++)
        key = k <= 32 ? key << 2 | code_of(kmer[i])
                      : (times(key, BASE) + code_of(kmer[i]) + 1) % PRIME;
    return key;
}

/* As kmer.h defines it. */
static uint64_t naive_key(const ninho_kmer_rule *rule, const char *kmer)
{
    char other[NINHO_KMER_MAX_K + 1];
    const uint64_t forward = key_of_string(kmer, rule->k);

    if (rule->strand == NINHO_KMER_FORWARD)
        return forward;
    memcpy(other, kmer, rule->k + 1);
    reverse_complement(other, rule->k);
    const uint64_t reverse = key_of_string(other, rule->k);
    return forward < reverse ? forward : reverse;
}

static void check_keys(const ninho_kmer_rule *rule, struct test_rng *rng)
{
    const size_t n = 300 + 3 * rule->k;
    char *bases = random_sequence(rng, n, rule->k < 10 ? 8 : 5 * rule->k);
    struct naive naive;
    ninho_kmer_iter iter;
    uint64_t key = 0;
    uint64_t *keys = malloc(n * sizeof *keys);

    naive_kmers(&naive, rule, bases, n);
    ninho_kmer_init(&iter, rule);
    ninho_kmer_start(&iter, bases, n);
    for (size_t i = 0; i < naive.n; i++) {
        CHECK(ninho_kmer_next(&iter, &key));
        CHECK_U64(ninho_kmer_position(&iter), naive.at[i]);
        if (rule->k <= 70 || i % 32 == 0) /* a long one takes its time */
            CHECK_U64(key, naive_key(rule, naive.kmers[i]));
        keys[i] = key;
    }
    CHECK(!ninho_kmer_next(&iter, &key));
    CHECK(!ninho_kmer_next(&iter, &key));
    /* The same in batches of any size. */
    for (size_t size = 1; size < 200; size = 3 * size + 1) {
        uint64_t some[400];
        size_t at = 0;
        size_t got;
        ninho_kmer_start(&iter, bases, n);
        while ((got = ninho_kmer_next_many(&iter, some, size)) > 0) {
            CHECK(got == size || at + got == naive.n);
            CHECK(memcmp(some, keys + at, got * sizeof *some) == 0);
            at += got;
        }
        CHECK_U64(at, naive.n);
    }
    /* Sequences without a single k-mer. */
    ninho_kmer_start(&iter, bases, rule->k - 1);
    CHECK(!ninho_kmer_next(&iter, &key));
    ninho_kmer_start(&iter, NULL, 0);
    CHECK(!ninho_kmer_next(&iter, &key));
    CHECK_U64(ninho_kmer_windows(rule, rule->k - 1), 0);
    CHECK_U64(ninho_kmer_windows(rule, rule->k), 1);
    naive_free(&naive);
    free(keys);
    free(bases);
}

static void keys_are_those_of_strings(void **state)
{
    (void)state;
    for_every_rule(check_keys);
}

static void check_palindrome(const ninho_kmer_rule *rule, struct test_rng *rng)
{
    char *bases = random_sequence(rng, rule->k, 0);
    char *turned = malloc(rule->k + 1);
    ninho_kmer_iter iter;
    uint64_t key = 0;
    uint64_t other = 0;

    /* The second half is the first, turned round: odd k has no palindromes. */
    memcpy(turned, bases, rule->k + 1);
    reverse_complement(turned, rule->k);
    memcpy(bases + rule->k - rule->k / 2, turned + rule->k - rule->k / 2, rule->k / 2);
    memcpy(turned, bases, rule->k + 1);
    reverse_complement(turned, rule->k);
    ninho_kmer_init(&iter, rule);
    ninho_kmer_start(&iter, bases, rule->k);
    CHECK(ninho_kmer_next(&iter, &key));
    ninho_kmer_start(&iter, turned, rule->k);
    CHECK(ninho_kmer_next(&iter, &other));
    CHECK((key == other) == (rule->strand == NINHO_KMER_CANONICAL || rule->k % 2 == 0));
    free(bases);
    free(turned);
}

static void a_kmer_and_its_reverse_complement_are_one(void **state)
{
    (void)state;
    for_every_rule(check_palindrome);
}

/* Reads a packed k-mer back. */
static void unpack(const ninho_kmer_rule *rule, const uint8_t *packed, char *kmer)
{
    for (uint32_t i = 0; i < rule->k; i++) {
        uint64_t key = 0;
        for (unsigned b = 0; rule->k <= 32 && b < 8; b++)
            key |= (uint64_t)packed[b] << (8 * b);
        const uint64_t code = rule->k <= 32
                                  ? key >> (2 * (rule->k - 1 - i)) & 3
                                  : (uint64_t)packed[i / 4] >> (6 - 2 * (i % 4)) & 3;
        kmer[i] = "ACGT"[code];
    }
    kmer[rule->k] = '\0';
}

static void check_packed(const ninho_kmer_rule *rule, struct test_rng *rng)
{
    const size_t n = 3 * rule->k + 10;
    char *bases = random_sequence(rng, n, 4 * rule->k);
    uint8_t packed[NINHO_KMER_MAX_PACKED + 8];
    char kmer[NINHO_KMER_MAX_K + 1];
    struct naive naive;
    size_t i = 0;

    naive_kmers(&naive, rule, bases, n);
    for (size_t at = 0; at + rule->k <= n; at++) {
        const bool is_one = i < naive.n && naive.at[i] == at;
        CHECK(ninho_kmer_pack(rule, bases + at, packed) == is_one);
        if (!is_one)
            continue;
        unpack(rule, packed, kmer);
        assert_string_equal(kmer, naive.kmers[i++]);
    }
    naive_free(&naive);
    free(bases);
}

static void packed_kmers_are_exact(void **state)
{
    (void)state;
    for_every_rule(check_packed);
}

static void check_set(const ninho_kmer_rule *rule, struct test_rng *rng)
{
    const size_t n = 600 + 2 * rule->k;
    char *bases = random_sequence(rng, n, 6 * rule->k);
    char *others = random_sequence(rng, n, 6 * rule->k);
    struct naive naive;
    struct naive asked;
    ninho_kmer_set *set = NULL;
    ninho_kmer_count count = {0};
    size_t n_found = 0;

    /* The second sequence shares a stretch with the first, turned round. */
    memcpy(others + 50, bases + 100, rule->k + 80);
    reverse_complement(others + 50, rule->k + 80);
    CHECK_OK(ninho_kmer_set_create(rule, &set, NULL));
    CHECK_OK(ninho_kmer_set_count(set, others, n, &count));
    CHECK_U64(count.n_found, 0);
    CHECK(ninho_kmer_set_need(set, n) > 0);
    CHECK_OK(ninho_kmer_set_add(set, bases, n));
    naive_kmers(&naive, rule, bases, n);
    naive_kmers(&asked, rule, others, n);
    CHECK_U64(ninho_kmer_set_total(set), naive.n);
    CHECK_U64(ninho_kmer_set_distinct(set), naive_distinct(&naive));
    CHECK_U64(ninho_kmer_set_skipped(set), ninho_kmer_windows(rule, n) - naive.n);
    /* Once more changes nothing but the total. */
    CHECK_OK(ninho_kmer_set_add(set, bases, n));
    CHECK_U64(ninho_kmer_set_total(set), 2 * naive.n);
    CHECK_U64(ninho_kmer_set_distinct(set), naive_distinct(&naive));
    count = (ninho_kmer_count){0};
    CHECK_OK(ninho_kmer_set_count(set, others, n, &count));
    for (size_t i = 0; i < asked.n; i++)
        n_found += naive_has(&naive, asked.kmers[i]);
    CHECK_U64(count.n_kmers, asked.n);
    CHECK_U64(count.n_found, n_found);
    CHECK_U64(count.n_skipped, ninho_kmer_windows(rule, n) - asked.n);
    ninho_kmer_set_free(set);
    naive_free(&naive);
    naive_free(&asked);
    free(bases);
    free(others);
}

static void sets_are_exact(void **state)
{
    (void)state;
    for_every_rule(check_set);
}

static void the_key_of_all_ones_is_a_key(void **state)
{
    const ninho_kmer_rule rule = {.k = 32, .strand = NINHO_KMER_FORWARD};
    static const char bases[] = "TTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT";
    ninho_kmer_set *set = NULL;
    ninho_kmer_count count = {0};

    (void)state;
    CHECK_OK(ninho_kmer_set_create(&rule, &set, NULL));
    CHECK_OK(ninho_kmer_set_add(set, "ACGTACGTACGTACGTACGTACGTACGTACGT", 32));
    CHECK_OK(ninho_kmer_set_count(set, bases, 33, &count));
    CHECK_U64(count.n_found, 0);
    CHECK_OK(ninho_kmer_set_add(set, bases, 33));
    CHECK_U64(ninho_kmer_set_distinct(set), 2);
    CHECK_OK(ninho_kmer_set_count(set, bases, 33, &count));
    CHECK_U64(count.n_found, 2);
    ninho_kmer_set_free(set);
}

/* ---- Indexes ------------------------------------------------------------------------------- */

static ninho_filter *make_filter(ninho_kind kind, const ninho_kmer_rule *rule,
                                 const char *bases, size_t n, uint64_t *n_kmers)
{
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3, .seed = 9};
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;
    ninho_kmer_iter iter;
    uint64_t *hashes = malloc((n + 1) * sizeof *hashes);

    ninho_kmer_init(&iter, rule);
    ninho_kmer_start(&iter, bases, n);
    *n_kmers = ninho_kmer_next_many(&iter, hashes, n);
    ninho_kmer_hash(&hasher, hashes, (size_t)*n_kmers, hashes);
    spec.kind = kind;
    spec.capacity = n;
    spec.fpr = .001;
    spec.seed = 9;
    spec.key_encoding = NINHO_KEY_KMER;
    if (kind == NINHO_CUCKOO)
        spec.semantics = NINHO_SET;
    if (!(ninho_kind_can(kind) & NINHO_CAN_ADD)) {
        CHECK_OK(
            ninho_filter_build(&spec, hashes, (size_t)*n_kmers, NULL, &filter, NULL));
    } else {
        CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
        for (size_t i = 0; i < *n_kmers; i++)
            if (!ninho_filter_has(filter, hashes[i]))
                CHECK_OK(ninho_filter_add(filter, hashes[i]));
    }
    CHECK_OK(ninho_kmer_mark(filter, rule));
    free(hashes);
    return filter;
}

/* Everything that was put in is found, after a trip through bytes, in sequences of any length. */
static void check_index(const ninho_kmer_index *index, const char *bases, size_t n,
                        uint64_t n_kmers)
{
    ninho_kmer_screen *screen = malloc(sizeof *screen);
    ninho_kmer_count counts[3] = {{0}};

    ninho_kmer_screen_init(screen, index);
    ninho_kmer_screen_add(screen, bases, n, &counts[0]);
    ninho_kmer_screen_add(screen, bases, index->rule.k - 1, &counts[1]);
    ninho_kmer_screen_add(screen, bases, n, &counts[2]);
    ninho_kmer_screen_flush(screen);
    CHECK_U64(counts[0].n_kmers, n_kmers);
    CHECK_U64(counts[0].n_found, n_kmers);
    CHECK_U64(counts[0].n_skipped, ninho_kmer_windows(&index->rule, n) - n_kmers);
    CHECK_U64(counts[1].n_kmers + counts[1].n_found + counts[1].n_skipped, 0);
    CHECK_U64(counts[2].n_found, n_kmers);
    free(screen);
}

static void every_family_finds_every_kmer(void **state)
{
    static const uint32_t ks[] = {1, 2, 11, 31, 32, 33, 64, 150, 1024};
    struct test_rng rng = {test_seed(37)};

    (void)state;
    for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) {
        const ninho_kmer_rule rule = {
            .k = ks[i], .strand = i % 2 ? NINHO_KMER_CANONICAL : NINHO_KMER_FORWARD};
        char *bases = random_sequence(&rng, 6000, 2000);
        for (size_t f = 0; ninho_kind_at(f); f++) {
            uint64_t n_kmers = 0;
            size_t size = 0;
            ninho_kmer_index index;
            ninho_filter *read = NULL;
            test_where("k %u, %s", ks[i], ninho_kind_name(ninho_kind_at(f)));
            ninho_filter *filter =
                make_filter(ninho_kind_at(f), &rule, bases, 6000, &n_kmers);
            uint8_t *bytes = encoded(filter, &size);
            CHECK_OK(ninho_filter_decode(bytes, size, NULL, &read, NULL));
            CHECK_OK(ninho_kmer_index_filter(&index, read, NULL));
            CHECK(index.rule.k == rule.k && index.rule.strand == rule.strand);
            check_index(&index, bases, 6000, n_kmers);
            ninho_filter_free(read);
            ninho_filter_free(filter);
            free(bytes);
        }
        free(bases);
    }
}

/* The same as adding one after the other. */
static void whole_sequences_are_added(void **state)
{
    static const uint32_t ks[] = {1, 31, 33, 200};
    struct test_rng rng = {test_seed(39)};

    (void)state;
    for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) {
        const ninho_kmer_rule rule = {.k = ks[i], .strand = NINHO_KMER_CANONICAL};
        char *bases = random_sequence(&rng, 6000, 2000);
        uint64_t n_kmers = 0;
        ninho_filter *one_by_one =
            make_filter(NINHO_BLOCKED, &rule, bases, 6000, &n_kmers);
        ninho_spec spec = NINHO_SPEC_INIT;
        ninho_filter *filter = NULL;
        ninho_kmer_index index;
        ninho_kmer_count count = {0};

        test_where("k %u", ks[i]);
        (void)ninho_filter_spec(one_by_one, &spec);
        CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
        CHECK_OK(ninho_kmer_mark(filter, &rule));
        CHECK_OK(ninho_kmer_index_filter(&index, filter, NULL));
        CHECK_OK(ninho_kmer_add(filter, &index, bases, 6000, &count));
        CHECK_U64(count.n_kmers, n_kmers);
        CHECK_U64(count.n_found, 0);
        CHECK_U64(count.n_skipped, ninho_kmer_windows(&rule, 6000) - n_kmers);
        check_index(&index, bases, 6000, n_kmers);
        ninho_filter_free(one_by_one);
        ninho_filter_free(filter);
        free(bases);
    }
}

/* What does not fit is told, and not counted. */
static void a_full_filter_is_told(void **state)
{
    const ninho_kmer_rule rule = {.k = 21, .strand = NINHO_KMER_FORWARD};
    struct test_rng rng = {test_seed(41)};
    char *bases = random_sequence(&rng, 6000, 0);
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;
    ninho_kmer_index index;
    ninho_kmer_count count = {0};

    (void)state;
    spec.kind = NINHO_CUCKOO;
    spec.capacity = 1000;
    spec.fpr = 0.01;
    spec.key_encoding = NINHO_KEY_KMER;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    CHECK_OK(ninho_kmer_mark(filter, &rule));
    CHECK_OK(ninho_kmer_index_filter(&index, filter, NULL));
    CHECK_STATUS(ninho_kmer_add(filter, &index, bases, 6000, &count), NINHO_ERR_FULL);
    CHECK_U64(count.n_kmers, 0);
    ninho_filter_free(filter);
    free(bases);
}

static void dictionaries_find_exactly_what_is_there(void **state)
{
    static const uint32_t ks[] = {1, 31, 32, 33, 70, 1024};
    struct test_rng rng = {test_seed(38)};

    (void)state;
    for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) {
        const ninho_kmer_rule rule = {.k = ks[i], .strand = NINHO_KMER_CANONICAL};
        const size_t size = ninho_kmer_exact_size(&rule);
        char *bases = random_sequence(&rng, 3000, 1500);
        char *others = random_sequence(&rng, 3000, 1500);
        struct naive naive;
        struct naive asked;
        ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
        ninho_dict *dict = NULL;
        ninho_kmer_index index;
        ninho_kmer_screen *screen = malloc(sizeof *screen);
        ninho_kmer_count count = {0};
        uint64_t n_found = 0;

        test_where("k %u", ks[i]);
        spec.key_encoding = NINHO_KEY_KMER;
        spec.key_size = (uint32_t)size;
        CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
        CHECK_STATUS(ninho_kmer_index_dict(&index, dict, NULL), NINHO_ERR_FORMAT);
        naive_kmers(&naive, &rule, bases, 3000);
        naive_kmers(&asked, &rule, others, 3000);
        for (size_t j = 0; j < naive.n; j++) {
            uint8_t packed[NINHO_KMER_MAX_PACKED];
            bool is_new = false;
            CHECK(ninho_kmer_pack(&rule, bases + naive.at[j], packed));
            CHECK_OK(ninho_dict_put(dict, packed, size, ninho_kmer_dict_value(&rule),
                                    &is_new));
        }
        CHECK_U64(ninho_dict_count(dict), naive_distinct(&naive));
        /* All at once: these, and no others. */
        ninho_kmer_count put = {.n_kmers = 1};
        CHECK_OK(ninho_kmer_put(dict, &rule, bases, 3000, &put));
        CHECK_U64(ninho_dict_count(dict), naive_distinct(&naive));
        CHECK_U64(put.n_kmers, 1 + naive.n);
        CHECK_U64(put.n_skipped, ninho_kmer_windows(&rule, 3000) - naive.n);
        CHECK_OK(ninho_kmer_index_dict(&index, dict, NULL));
        check_index(&index, bases, 3000, naive.n);
        ninho_kmer_screen_init(screen, &index);
        ninho_kmer_screen_add(screen, others, 3000, &count);
        ninho_kmer_screen_flush(screen);
        for (size_t j = 0; j < asked.n; j++)
            n_found += naive_has(&naive, asked.kmers[j]);
        CHECK_U64(count.n_found, n_found);
        ninho_dict_free(dict);
        naive_free(&naive);
        naive_free(&asked);
        free(screen);
        free(bases);
        free(others);
    }
}

static void an_index_knows_its_rule(void **state)
{
    const ninho_kmer_rule rule = {.k = 21, .strand = NINHO_KMER_CANONICAL};
    const ninho_kmer_rule other_k = {.k = 31, .strand = NINHO_KMER_CANONICAL};
    const ninho_kmer_rule other_strand = {.k = 21, .strand = NINHO_KMER_FORWARD};
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;
    ninho_kmer_index index;
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    spec.kind = NINHO_BLOOM;
    spec.capacity = 10;
    spec.fpr = .01;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    CHECK_STATUS(ninho_kmer_mark(filter, &rule), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_kmer_index_filter(&index, filter, &error), NINHO_ERR_MISMATCH);
    ninho_filter_free(filter);
    spec.key_encoding = NINHO_KEY_KMER;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    CHECK_STATUS(ninho_kmer_index_filter(&index, filter, &error), NINHO_ERR_FORMAT);
    static const char *const bad[] = {"",   "0",   "1025",          "21x",
                                      "-1", " 21", "99999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_OK(ninho_kmer_mark(filter, &rule));
        CHECK_OK(ninho_filter_set_meta(filter, "kmer.k", bad[i]));
        CHECK_STATUS(ninho_kmer_index_filter(&index, filter, &error), NINHO_ERR_FORMAT);
    }
    CHECK_OK(ninho_kmer_mark(filter, &rule));
    CHECK_OK(ninho_kmer_index_filter(&index, filter, &error));
    CHECK_OK(ninho_kmer_index_agrees(&index, &rule, &error));
    CHECK_STATUS(ninho_kmer_index_agrees(&index, &other_k, &error), NINHO_ERR_MISMATCH);
    assert_string_equal(error.text, "holds k-mers of k = 21, not of k = 31");
    CHECK_STATUS(ninho_kmer_index_agrees(&index, &other_strand, &error),
                 NINHO_ERR_MISMATCH);
    assert_string_equal(error.text, "holds canonical k-mers, not forward ones");
    CHECK_OK(ninho_filter_set_meta(filter, "kmer.strand", "both"));
    CHECK_STATUS(ninho_kmer_index_filter(&index, filter, &error), NINHO_ERR_FORMAT);
    ninho_filter_free(filter);
}

static void rules_have_ranges(void **state)
{
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    for (uint32_t k = 0; k <= 1030; k++) {
        const ninho_kmer_rule rule = {.k = k, .strand = NINHO_KMER_FORWARD};
        CHECK((ninho_kmer_check_rule(&rule, &error) == NINHO_OK) ==
              (k >= 1 && k <= 1024));
    }
    assert_string_equal(error.text, "k must be from 1 to 1024");
    const ninho_kmer_rule rule = {.k = 3, .strand = (ninho_kmer_strand)3};
    CHECK_STATUS(ninho_kmer_check_rule(&rule, &error), NINHO_ERR_ARG);
}

/* Files hold hashes of k-mers: these must never change. */
static void keys_and_hashes_are_frozen(void **state)
{
    static const char bases[] = "GATTACAGATTACACATTAGCCGGATCTTAGGCATCGATCGGATTTACGCAT";
    static const struct {
        uint32_t k;
        ninho_kmer_strand strand;
        uint64_t key, hash;
    } cases[] = {
        {1, NINHO_KMER_CANONICAL, UINT64_C(0x0000000000000001),
         UINT64_C(0x2FBC593564DB792E)},
        {4, NINHO_KMER_CANONICAL, UINT64_C(0x000000000000000D),
         UINT64_C(0xDBCE9152659CD389)},
        {4, NINHO_KMER_FORWARD, UINT64_C(0x000000000000008F),
         UINT64_C(0x897E211D6198F665)},
        {31, NINHO_KMER_CANONICAL, UINT64_C(0x1C235A70EEC37B0D),
         UINT64_C(0xE49837916A20177E)},
        {31, NINHO_KMER_FORWARD, UINT64_C(0x23C48F113C968DF2),
         UINT64_C(0x36AE4E330270E999)},
        {32, NINHO_KMER_CANONICAL, UINT64_C(0x5C235A70EEC37B0D),
         UINT64_C(0x9AA54FCDE08C7745)},
        {33, NINHO_KMER_CANONICAL, UINT64_C(0x0A2872B5DB369BB3),
         UINT64_C(0x8FABC43C753101E4)},
        {33, NINHO_KMER_FORWARD, UINT64_C(0x1D67C8A4B7737167),
         UINT64_C(0xA71F8ED9F25FB390)},
        {51, NINHO_KMER_CANONICAL, UINT64_C(0x02ABC36D167FFE73),
         UINT64_C(0xCDA79371172F1F4C)},
    };
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const ninho_kmer_rule rule = {.k = cases[i].k, .strand = cases[i].strand};
        ninho_kmer_iter iter;
        uint64_t key = 0;
        uint64_t hash = 0;
        test_where("case %zu", i);
        ninho_kmer_init(&iter, &rule);
        ninho_kmer_start(&iter, bases, sizeof bases - 1);
        CHECK(ninho_kmer_next(&iter, &key));
        ninho_kmer_hash(&hasher, &key, 1, &hash);
        CHECK_U64(key, cases[i].key);
        CHECK_U64(hash, cases[i].hash);
    }
}

/* ---- Shares -------------------------------------------------------------------------------- */

static void a_sample_says_how_sure_it_is(void **state)
{
    (void)state;
    ninho_kmer_share share = ninho_kmer_share_of(10, 5, 0);
    CHECK(is_near(share.low, .2366, .001) && is_near(share.high, .7634, .001));
    CHECK(is_near(share.at_least, .2224, .001)); /* Clopper and Pearson, one-sided */
    share = ninho_kmer_share_of(1000, 1000, 0);
    CHECK(share.high >= 1 && is_near(share.low, .996173, 1e-5));
    CHECK(is_near(share.at_least, .997009, 1e-5)); /* .05^(1/1000) */
    share = ninho_kmer_share_of(1000, 0, .002);
    CHECK(share.low <= 0 && share.corrected <= 0 && share.at_least <= 0);
    CHECK(is_near(share.high, (.0038269 - .002) / .998, .01));
    /* Half are there, and of the others one in ten is found by mistake. */
    share = ninho_kmer_share_of(100000, 55000, .1);
    CHECK(is_near(share.corrected, .5, 1e-9));
    CHECK(share.low < .5 && share.high > .5 && share.high - share.low < .01);
    CHECK(share.at_least < .5 && share.at_least > share.low);
}

/* The interval holds the truth as often as it says, at shares of all sizes. */
static void intervals_hold_what_they_promise(void **state)
{
    static const double shares[] = {.02, .3, .5, .9, .995};
    struct test_rng rng = {test_seed(39)};
    const size_t n_trials = test_scaled(2000, 500);

    (void)state;
    for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
        const double fpr = .01;
        const double rate = shares[s] + (1 - shares[s]) * fpr;
        size_t n_inside = 0;
        size_t n_above = 0;
        for (size_t trial = 0; trial < n_trials; trial++) {
            uint64_t n_found = 0;
            for (int i = 0; i < 400; i++)
                n_found += (double)(rng_next(&rng) >> 11) / 9007199254740992.0 < rate;
            const ninho_kmer_share share = ninho_kmer_share_of(400, n_found, fpr);
            n_inside += share.low <= shares[s] && shares[s] <= share.high;
            n_above += share.at_least <= shares[s];
        }
        test_where("share %g: %zu and %zu of %zu", shares[s], n_inside, n_above,
                   n_trials);
        /* Wilson's holds 95 % in the mean over shares, and .93 at its worst here. */
        CHECK((double)n_inside >= binomial_low((double)n_trials, .93, 5));
        CHECK((double)n_above >= binomial_low((double)n_trials, .95, 5));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_those_of_strings),
        cmocka_unit_test(a_kmer_and_its_reverse_complement_are_one),
        cmocka_unit_test(packed_kmers_are_exact),
        cmocka_unit_test(sets_are_exact),
        cmocka_unit_test(the_key_of_all_ones_is_a_key),
        cmocka_unit_test(every_family_finds_every_kmer),
        cmocka_unit_test(whole_sequences_are_added),
        cmocka_unit_test(a_full_filter_is_told),
        cmocka_unit_test(dictionaries_find_exactly_what_is_there),
        cmocka_unit_test(an_index_knows_its_rule),
        cmocka_unit_test(rules_have_ranges),
        cmocka_unit_test(keys_and_hashes_are_frozen),
        cmocka_unit_test(a_sample_says_how_sure_it_is),
        cmocka_unit_test(intervals_hold_what_they_promise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
