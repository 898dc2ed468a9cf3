/* SPDX-License-Identifier: MIT */
#include "report/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *run_title(const struct study *study)
{
    static const char *const titles[] = {
        [STUDY_TINY] = "Tiny", [STUDY_QUICK] = "Quick", [STUDY_FULL] = "Full"};

    return titles[study->size];
}

const char *run_explained(const struct study *study)
{
    static const char *const texts[] = {
        [STUDY_TINY] = "It shows that everything runs. Its numbers prove nothing.",
        [STUDY_QUICK] =
            "Few repetitions and smaller sizes than the documents had, so that it "
            "takes minutes; each question says which. “make study FULL=1” does "
            "it as they did: 30 repetitions, full sizes, hours.",
        [STUDY_FULL] = "30 repetitions and full sizes, as the documents had.",
    };

    return texts[study->size];
}

void run_command(const struct study *study, const struct question *question, char *text,
                 size_t size)
{
    snprintf(text, size, "ninho study%s%s --seed %" PRIu64 "%s%s",
             study->size == STUDY_QUICK ? "" : " --",
             study->size == STUDY_QUICK ? "" : study_size_text(study->size), study->seed,
             question ? " " : "", question ? question->name : "");
}

void tally_text(const struct report *report, const struct claims *claims, char *text,
                size_t size)
{
    size_t n[3] = {0};
    size_t n_none = 0;
    size_t n_neither = 0;

    for (size_t i = 0; i < claims->n; i++) {
        const struct standing standing = standing_of(report, claims, &claims->list[i]);
        if (!standing.judgement)
            n_none++;
        else if (strcmp(badge_of(&standing), mark_text(BY_DEFINITION)) == 0)
            n_neither++;
        else
            n[standing.judgement->verdict]++;
    }
    const int length = snprintf(
        text, size,
        "%zu claims: %zu hold, %zu do not hold, %zu are open, %zu can come out neither "
        "way",
        claims->n, n[HOLDS], n[DOES_NOT_HOLD], n[OPEN], n_neither);
    if (n_none && length > 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, ", %zu not measured", n_none);
}

void standing_text(const struct standing *standing, char *text, size_t size)
{
    if (!standing->question) {
        snprintf(text, size, "No question of the study judges it.");
    } else if (!standing->answer) {
        snprintf(text, size, "Not run: ninho study %s.", standing->question->name);
    } else if (!standing->judgement) {
        snprintf(text, size, "Not measured%s%s.",
                 standing->answer->n_missing ? ", missing: " : "",
                 standing->answer->n_missing ? standing->answer->missing[0] : "");
    } else {
        char interval[96];
        interval_text(&standing->judgement->interval, interval, sizeof interval);
        snprintf(text, size, "%s%s%s%s%s.", mark_text(standing->judgement->mark),
                 standing->judgement->mark ? "; " : "", standing->judgement->quantity,
                 interval[0] ? ": " : "", interval);
    }
}

void figure_id(const struct question *question, const struct figure *figure, char *id,
               size_t size)
{
    snprintf(id, size, "%s-%s", question->name, figure->name);
}
