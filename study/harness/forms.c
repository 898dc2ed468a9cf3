/* SPDX-License-Identifier: MIT */
#include "harness/forms.h"

#include <math.h>
#include <stdlib.h>

#include "harness/fail.h"

double limit_form(double m, double k, double n)
{
    return pow(-expm1(-k * n / m), k);
}

double one_bit_form(double m, double k, double n)
{
    return pow(-expm1(k * n * log1p(-1 / m)), k);
}

double finite_form(double m, double k, double n)
{
    return pow(-expm1(-k * (n + 0.5) / (m - 1)), k);
}

/* chance[i]: that i bits are set after the throws so far. A throw hits a set bit with i/m. */
double exact_form(size_t m, size_t k, size_t n)
{
    double *chance = allocate(m + 1, sizeof *chance);
    double mean = 0;

    chance[0] = 1;
    for (size_t thrown = 1; thrown <= k * n; thrown++) {
        for (size_t i = thrown < m ? thrown : m; i > 0; i--)
            chance[i] = chance[i] * (double)i / (double)m +
                        chance[i - 1] * (double)(m - i + 1) / (double)m;
        chance[0] = 0;
    }
    for (size_t i = 0; i <= m; i++)
        mean += chance[i] * pow((double)i / (double)m, (double)k);
    free(chance);
    return mean;
}
