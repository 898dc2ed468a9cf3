/* SPDX-License-Identifier: MIT */
/* What an engine answers when it is asked to change a filter that carries the dictionary of its
 * keys (ninho/checked.h). It changes filters alone, and would leave the dictionary behind: so
 * it refuses, where ninho_filter_is_checked() says so of the filter, or of either of two that are
 * to be united. Asking and copying are fine. */
#ifndef NINHO_INTEGRATIONS_CHECKED_H
#define NINHO_INTEGRATIONS_CHECKED_H

#define CHECKED_REFUSED                                                            \
    "the filter is checked: it carries a dictionary of its keys, which cannot be " \
    "changed here"
#define CHECKED_ADVICE                                                            \
    "change the file with the commands ninho add, remove and union, or build it " \
    "without --checked"

#endif
