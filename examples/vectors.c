/* SPDX-License-Identifier: MIT */
/* Prints the test vectors of docs/format.md: every hash of a few keys, the check value of a secret,
 * and the places of one key in a few tables. Whoever writes a reader of their own compares with
 * these first. */
#include <inttypes.h>
#include <ninho/ninho.h>
#include <stdio.h>

/* The keys: the bytes 0, 1, 2, ... of these lengths, on both sides of the places where XXH3
 * changes its way. */
static const size_t sizes[] = {0, 1, 3, 4, 8, 9, 16, 17, 128, 129, 240, 241, 1025};

static void print_row(const char *key, const uint8_t *bytes, size_t size)
{
    ninho_hasher hasher = {.id = NINHO_HASH_XXH3};

    for (uint8_t i = 0; i < NINHO_SECRET_BYTES; i++)
        hasher.secret[i] = i;
    printf("| %s | `%016" PRIx64 "` |", key, ninho_hash_bytes(&hasher, bytes, size));
    hasher.seed = 1;
    printf(" `%016" PRIx64 "` |", ninho_hash_bytes(&hasher, bytes, size));
    hasher.seed = 0;
    hasher.id = NINHO_HASH_XXH64;
    printf(" `%016" PRIx64 "` |", ninho_hash_bytes(&hasher, bytes, size));
    hasher.id = NINHO_HASH_SIPHASH;
    printf(" `%016" PRIx64 "` |\n", ninho_hash_bytes(&hasher, bytes, size));
}

static void print_place(void *context, const ninho_event *event)
{
    bool *is_first = context;

    printf("%s%" PRIu64, *is_first ? "" : ", ", event->to);
    *is_first = false;
}

/* The places of a key in an empty table, in the order in which they are set. */
static int print_places(const char *table, ninho_kind kind, uint64_t n_bits,
                        uint32_t n_hashes)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;
    bool is_first = true;

    spec.kind = kind;
    spec.n_bits = n_bits;
    spec.n_hashes = n_hashes;
    spec.capacity = 1;
    spec.observer = print_place;
    spec.observer_context = &is_first;
    if (ninho_filter_create(&spec, NULL, &filter, NULL))
        return 1;
    printf("| %s | ", table);
    ninho_filter_add_key(filter, "robin", 5);
    puts(" |");
    ninho_filter_free(filter);
    return 0;
}

static void keep_tag(void *context, const ninho_event *event)
{
    uint64_t *tag = context;

    printf("%s%" PRIu64, *tag ? ", " : "", event->to);
    *tag = event->value;
}

/* The slots of both places, filled one after the other with copies of the key, and its tag. */
static int print_slots(const char *table, ninho_slots slots, uint32_t n,
                       ninho_pairing pairing, uint64_t n_slots, uint32_t tag_bits)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;
    uint64_t tag = 0; /* events tell it plus 1 */

    spec.kind = NINHO_CUCKOO;
    spec.capacity = 1;
    spec.slots = slots;
    spec.place_slots = n;
    spec.choice = NINHO_CHOICE_RANDOM;
    spec.pairing = pairing;
    spec.n_slots = n_slots;
    spec.tag_bits = tag_bits;
    spec.observer = keep_tag;
    spec.observer_context = &tag;
    if (ninho_filter_create(&spec, NULL, &filter, NULL))
        return 1;
    printf("| %s | slots ", table);
    while (ninho_filter_add_key(filter, "robin", 5) == NINHO_OK)
        continue;
    printf("; tag %" PRIu64 " |\n", tag - 1);
    ninho_filter_free(filter);
    return 0;
}

int main(void)
{
    static const uint8_t minus_one[8] = {255, 255, 255, 255, 255, 255, 255, 255};
    uint8_t bytes[1025], secret[NINHO_SECRET_BYTES];
    char name[64];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    for (uint8_t i = 0; i < NINHO_SECRET_BYTES; i++)
        secret[i] = i;
    puts("| key | xxh3, seed 0 | xxh3, seed 1 | xxh64, seed 0 | siphash |");
    puts("| --- | --- | --- | --- | --- |");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        snprintf(name, sizeof name, "%zu bytes", sizes[i]);
        print_row(name, bytes, sizes[i]);
    }
    print_row("`robin`", (const uint8_t *)"robin", 5);
    print_row("int64 −1", minus_one, sizeof minus_one);
    printf("\nThe key check of the secret 00 01 … 0f is `%016" PRIx64 "`.\n",
           ninho_secret_check(secret));
    puts("\n| table | places of `robin` under xxh3, seed 0 |\n| --- | --- |");
    return print_places("bloom, counting: m = 1000, k = 7", NINHO_BLOOM, 1000, 7) |
           print_places("bloom, counting: m = 1000003, k = 3", NINHO_BLOOM, 1000003, 3) |
           print_places("blocked: 8 blocks", NINHO_BLOCKED, 2048, 0) |
           print_slots("cuckoo: buckets, xor, n = 4, s = 4096, w = 12", NINHO_BUCKETS, 4,
                       NINHO_PAIRING_XOR, 4096, 12) |
           print_slots("cuckoo: buckets, offset, n = 3, s = 999, w = 8", NINHO_BUCKETS, 3,
                       NINHO_PAIRING_OFFSET, 999, 8) |
           print_slots("cuckoo: buckets, near, n = 4, s = 4100, w = 12", NINHO_BUCKETS, 4,
                       NINHO_PAIRING_NEAR, 4100, 12) |
           print_slots("cuckoo: windows, xor, n = 2, s = 1025, w = 16", NINHO_WINDOWS, 2,
                       NINHO_PAIRING_XOR, 1025, 16) |
           print_slots("cuckoo: windows, offset, n = 4, s = 1000003, w = 32",
                       NINHO_WINDOWS, 4, NINHO_PAIRING_OFFSET, 1000003, 32);
}
