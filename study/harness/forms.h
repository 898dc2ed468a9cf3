/* SPDX-License-Identifier: MIT */
/* What formulas say about the false positive rate of a Bloom filter of m bits, k probes and n keys. */
#ifndef STUDY_HARNESS_FORMS_H
#define STUDY_HARNESS_FORMS_H

#include <stddef.h>

/* (1 - e^(-kn/m))^k: n and m without end. */
double limit_form(double m, double k, double n);

/* (1 - (1 - 1/m)^(kn))^k: the exact chance that one bit is set, taken as if bits were independent. */
double one_bit_form(double m, double k, double n);

/* (1 - e^(-k(n + 0.5)/(m - 1)))^k: the lecture's form for finite sizes (Goel and Gupta's bound). */
double finite_form(double m, double k, double n);

/* The mean of (X/m)^k, X being the number of bits that kn throws set: exact, in about k n m steps
 * (Bose and others, 2008). */
double exact_form(size_t m, size_t k, size_t n);

#endif
