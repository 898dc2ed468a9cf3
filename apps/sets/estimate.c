/* SPDX-License-Identifier: MIT */
/* See estimate.h. */
#include "estimate.h"

#include <string.h>

void ns_ropes_init(struct ns_ropes *ropes)
{
    memset(ropes, 0, sizeof *ropes);
}

static void flush(struct ns_ropes *ropes)
{
    for (unsigned i = 0; i < NS_ROPES; i++)
        for (unsigned p = 0; p < NS_PLANES; p++)
            ropes->ups[i] += (int64_t)(ropes->planes[i / 64][p] >> (i % 64) & 1) << p;
    memset(ropes->planes, 0, sizeof ropes->planes);
    ropes->n_in_planes = 0;
}

void ns_ropes_add(struct ns_ropes *ropes, const struct ns_sum *hash)
{
    uint64_t carries[2] = {hash->low, hash->high};

    for (unsigned half = 0; half < 2; half++)
        for (uint64_t *plane = ropes->planes[half]; carries[half]; plane++) {
            const uint64_t carry = *plane & carries[half];
            *plane ^= carries[half];
            carries[half] = carry;
        }
    ropes->n++;
    if (++ropes->n_in_planes == (1U << NS_PLANES) - 1)
        flush(ropes);
}

void ns_ropes_positions(struct ns_ropes *ropes, int64_t positions[NS_ROPES])
{
    flush(ropes);
    for (unsigned i = 0; i < NS_ROPES; i++)
        positions[i] = 2 * ropes->ups[i] - (int64_t)ropes->n;
}

double ns_ropes_estimate(const int64_t ours[NS_ROPES], const int64_t theirs[NS_ROPES])
{
    double sum = 0;

    for (unsigned i = 0; i < NS_ROPES; i++) {
        const double apart = (double)ours[i] - (double)theirs[i];
        sum += apart * apart;
    }
    return sum / NS_ROPES;
}
