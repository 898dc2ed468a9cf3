/* SPDX-License-Identifier: MIT */
/* How long the study still takes. A question weighs as many seconds as a quick run of it took on the machine
 * where the weights were written down. How many seconds a weight of 1 takes here, the pace, is known from
 * the questions that are finished; before there are any, from a guess. */
#ifndef STUDY_HARNESS_ESTIMATE_H
#define STUDY_HARNESS_ESTIMATE_H

struct estimate {
    double guess;        /* of the pace; 0: none */
    double known_weight; /* of the finished questions, and the seconds they took */
    double known_seconds;
    double weight_left; /* of the questions that have not begun */
    double weight_here; /* of the one at hand, and when it began */
    double start_here;
};

/* Questions of this total weight are to be answered. */
void estimate_begin(struct estimate *estimate, double weight, double guess);

/* A question of this weight begins; it is done. */
void estimate_begin_question(struct estimate *estimate, double weight, double now);
void estimate_end_question(struct estimate *estimate, double now);

/* The seconds that are left when `share` of the question at hand is done; NAN where nothing is known. */
double estimate_left(const struct estimate *estimate, double share, double now);

#endif
