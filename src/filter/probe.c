/* SPDX-License-Identifier: MIT */
#include "filter/probe.h"

#include <inttypes.h>
#include <math.h>

#include "base/status.h"

/* Bits per key are kept in 1/256ths: so coarse that no difference between two machines'
 * log() or pow() can show in them, so fine that rounding up costs less than 0.1 %. */
#define UNITS 256.0
/* Subtracted before rounding up, so that a whole number plus noise is not pushed to the
 * next. */
#define NOISE 1e-6

static uint64_t units_up(double bits_per_key)
{
    const double units = ceil(bits_per_key * UNITS - NOISE);
    return units < 1 ? 1 : (uint64_t)units;
}

/* The fewest cells per key for k probes: from (1 - e^{-k/c})^k = fpr. */
static double cells_per_key(double fpr, unsigned k)
{
    return -(double)k / log1p(-pow(fpr, 1.0 / k));
}

static uint64_t best_k(double fpr, uint32_t *n_hashes)
{
    uint64_t best = UINT64_MAX;

    for (unsigned k = 1; k <= NH_MAX_K; k++) {
        const double cells = cells_per_key(fpr, k);
        if (!(cells <
              1e6)) /* one probe for a tiny fpr: absurd, and too large for integers */
            continue;
        const uint64_t units = units_up(cells);
        if (units < best) {
            best = units;
            *n_hashes = k;
        }
    }
    return best;
}

/* ln 2 * m / n, rounded by `rule` into the allowed range. */
static uint32_t k_for(double m, double n, ninho_k_rule rule)
{
    const double k = 0.69314718055994531 * m / n;
    const double whole = rule == NINHO_K_FLOOR ? floor(k + NOISE) : floor(k + 0.5);
    return whole < 1 ? 1 : whole > NH_MAX_K ? NH_MAX_K : (uint32_t)whole;
}

/* Cells for n keys at units/256 each, with the half key and the cell that the finite-size
 * rate adds: (n + 1/2) * units / 256 + 1, rounded up. */
static bool cells_for(uint64_t n, uint64_t units, uint64_t *cells)
{
    uint64_t product;

    if (!nh_mul_fits(2 * n + 1, units, &product) || !nh_add_fits(product, 511, &product))
        return false;
    *cells = product / 512 + 1;
    return true;
}

ninho_status nh_probe_plan(const ninho_spec *spec, unsigned per_byte,
                           struct nh_part *part, ninho_error *error)
{
    const uint64_t n = spec->capacity;
    bool fits = true;

    if (spec->n_hashes > NH_MAX_K)
        return nh_fail_field(error, NINHO_FIELD_N_HASHES, 1, NH_MAX_K,
                             "must be 1 to %d, not %" PRIu32, NH_MAX_K, spec->n_hashes);
    if (spec->k_rule != NINHO_K_BEST && spec->k_rule != NINHO_K_FLOOR)
        return nh_fail_field(error, NINHO_FIELD_K_RULE, 0, 0, "must be best or floor");
    if (spec->n_bits) {
        part->n_cells = spec->n_bits;
        part->n_hashes = spec->n_hashes
                             ? spec->n_hashes
                             : k_for((double)spec->n_bits, (double)n, spec->k_rule);
    } else if (spec->n_hashes) {
        const double cells = cells_per_key(spec->fpr, spec->n_hashes);
        fits = cells < 1e6 && cells_for(n, units_up(cells), &part->n_cells);
        part->n_hashes = spec->n_hashes;
    } else if (spec->k_rule == NINHO_K_FLOOR) {
        const uint64_t units =
            units_up(-log(spec->fpr) / (0.69314718055994531 * 0.69314718055994531));
        fits = nh_mul_fits(n, units, &part->n_cells) &&
               nh_add_fits(part->n_cells, 255, &part->n_cells);
        part->n_cells /= 256;
        part->n_hashes = k_for((double)units / UNITS, 1, NINHO_K_FLOOR);
    } else {
        fits = cells_for(n, best_k(spec->fpr, &part->n_hashes), &part->n_cells);
    }
    if (!fits || part->n_cells > NH_PROBE_MAX_CELLS)
        return nh_fail(error, NINHO_ERR_NOMEM, "needs more than 2^56 bits");
    part->size = nh_probe_size(part->n_cells, per_byte);
    return NINHO_OK;
}

void nh_probe_spec_back(const struct nh_part *part, ninho_spec *spec)
{
    spec->n_bits = part->n_cells;
    spec->n_hashes = part->n_hashes;
}

double nh_probe_fpr(const struct nh_part *part, double n_keys)
{
    const double k = part->n_hashes;
    const double m = (double)part->n_cells;

    if (n_keys <= 0)
        return 0;
    if (m < 2)
        return 1;
    return pow(-expm1(-k * (n_keys + 0.5) / (m - 1)), k);
}

/* How many distinct keys leave `used` of m cells in use; infinite if all are. */
static double estimate(const struct nh_part *part, uint64_t used)
{
    const double m = (double)part->n_cells;

    if (used == 0)
        return 0;
    if (used >= part->n_cells)
        return INFINITY;
    /* A cell stays empty with probability (1 - 1/m)^{kn}. */
    return log1p(-(double)used / m) / (part->n_hashes * log1p(-1 / m));
}

void nh_probe_tally(const struct nh_part *part, uint64_t used, struct nh_tally *tally)
{
    tally->used = used;
    tally->cells = part->n_cells;
    tally->fpr = pow((double)used / (double)part->n_cells, part->n_hashes);
    tally->n_keys = estimate(part, used);
}

bool nh_probe_ends_clear(const struct nh_part *part, unsigned per_byte)
{
    const unsigned n_spare = (unsigned)(per_byte * part->size - part->n_cells);
    const unsigned n_used_bits = 8 / per_byte * (per_byte - n_spare);

    return part->body[part->size - 1] >> n_used_bits == 0;
}

static bool has_beside(const struct nh_part *part, uint64_t hash, struct nh_marks *marks)
{
    (void)marks;
    return part->has(part, hash);
}

nh_has_beside nh_probe_beside(const struct nh_part *part)
{
    (void)part;
    return has_beside;
}

ninho_status nh_probe_unite_bits(const struct nh_live *live, struct nh_part *target,
                                 const struct nh_part *source)
{
    (void)live;
    for (uint64_t i = 0; i < target->size; i++)
        target->body[i] |= ninho_load8_(&source->body[i]);
    return NINHO_OK;
}
