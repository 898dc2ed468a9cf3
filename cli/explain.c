/* SPDX-License-Identifier: MIT */
#include "explain.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cuckoo.h"
#include "spec.h"

/* Of cuckoo filters. */
#define DEFAULT_PLACE 4
#define LEAST_TAG     8
#define LEAST_XOR_TAG 4

void error_words(const ninho_error *error, char *text, size_t text_size)
{
    const char *said = error->text[0] ? error->text : ninho_status_text(error->status);
    char name[64] = "";

    if (error->name_bytes)
        field_option(error->field, name, sizeof name);
    (void)snprintf(text, text_size, "%s%s", name, said + error->name_bytes);
}

/* The least fpr that can be planned otherwise as in the spec; 0 if there is none. */
static double least_fpr(const ninho_spec *wanted)
{
    ninho_spec spec = *wanted;
    ninho_plan plan = NINHO_PLAN_INIT;
    double low = wanted->fpr, high = 0.5;

    spec.fpr = high;
    if (ninho_filter_plan(&spec, &plan, NULL))
        return 0;
    while (high > 1.001 * low) {
        spec.fpr = sqrt(low * high);
        if (ninho_filter_plan(&spec, &plan, NULL))
            low = spec.fpr;
        else
            high = spec.fpr;
    }
    return 1.005 * high; /* so that it is still enough when it has been rounded */
}

/* The slots of a table of so many places under xor. */
static uint64_t slots_of(const ninho_spec *spec, uint64_t n_places)
{
    const uint64_t n = spec->place_slots ? spec->place_slots : DEFAULT_PLACE;

    return spec->slots == NINHO_BUCKETS ? n_places * n : n_places + n - 1;
}

/* A table by hand under xor: which sizes there are, of the two next to the one that was given. */
static void explain_xor(const ninho_spec *spec, char *text, size_t text_size)
{
    const uint64_t n = spec->place_slots ? spec->place_slots : DEFAULT_PLACE;
    const bool is_buckets = spec->slots == NINHO_BUCKETS;
    uint64_t n_places = 2;
    char smaller[30] = "";

    while (slots_of(spec, n_places) < spec->n_slots)
        n_places *= 2;
    if (n_places > 2 && slots_of(spec, n_places / 2) >= spec->capacity)
        (void)snprintf(smaller, sizeof smaller, "%" PRIu64 " or ",
                       slots_of(spec, n_places / 2));
    (void)snprintf(text, text_size,
                   "--table-slots %" PRIu64 ": with %s of %" PRIu64
                   " and pairing xor it must be a power of two %s %" PRIu64
                   ", so %s%" PRIu64 "; pairing offset takes any %s",
                   spec->n_slots, is_buckets ? "buckets" : "windows", n,
                   is_buckets ? "times" : "plus", is_buckets ? n : n - 1, smaller,
                   slots_of(spec, n_places),
                   is_buckets ? "multiple of the bucket" : "size");
}

void spec_explain(const ninho_spec *spec, const ninho_error *error, char *text,
                  size_t text_size)
{
    const bool is_cuckoo = cuckoo_is(spec);

    if (is_cuckoo && spec->n_slots && error->field == NINHO_FIELD_PAIRING) {
        explain_xor(spec, text, text_size);
    } else if (is_cuckoo && spec->kind == NINHO_SCALABLE &&
               error->field == NINHO_FIELD_FPR) {
        (void)snprintf(text, text_size,
                       "--fpr over cuckoo filters must be at least %.3g for %" PRIu64
                       " keys, not %g: tags have at most 32 bits",
                       least_fpr(spec), spec->capacity, spec->fpr);
    } else {
        error_words(error, text, text_size);
        const size_t used = strlen(text);
        if (is_cuckoo && error->field == NINHO_FIELD_TAG_BITS &&
            spec->tag_bits >= LEAST_XOR_TAG && spec->tag_bits < LEAST_TAG)
            (void)snprintf(text + used, text_size - used,
                           "; 4 to 7 go with --bucket and --pairing xor");
    }
}
