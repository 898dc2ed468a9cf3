/* SPDX-License-Identifier: MIT */
/* Dictionaries as bytes: what codec.c gives to src/io. */
#ifndef NH_DICT_CODEC_H
#define NH_DICT_CODEC_H

#include <ninho/dict.h>

#include "format/source.h"

/* A dictionary from a file or a stream, as ninho_dict_read(); `options` as the caller gave
 * them. */
ninho_status nh_dict_read(const struct nh_source *source,
                          const ninho_open_options *options, ninho_dict **out,
                          ninho_error *error);

#endif
