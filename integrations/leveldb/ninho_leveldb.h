/* SPDX-License-Identifier: MIT */
/* A filter policy for LevelDB: its tables carry ninho's filters instead of its own Bloom
 * filters. Installed as <ninho/leveldb/ninho_leveldb.h>, through ninho-leveldb.pc.
 *
 *     leveldb_filterpolicy_t *policy = NULL;
 *
 *     if (ninho_leveldb_policy(NULL, &policy, NULL) == NINHO_OK)
 *         leveldb_options_set_filter_policy(options, policy);
 *
 * LevelDB makes a filter for each block of a table, a few dozen keys, and stores it as a
 * block of bytes. Ours is
 *
 *     | length of the block, kind, version: 1 byte below 128 | the bare encoding |
 *
 * (docs/format.md has the bare encoding; README.md here the first bytes). A block that is
 * not of this kind, this version and its own length is answered by "maybe", never "no".
 * Nothing else in a block is checked: LevelDB has a CRC over it, which it reads if
 * paranoid_checks is set.
 *
 * Keys are hashed as they are, with xxh3 and seed 0. As with LevelDB's own policy, a
 * comparator under which different bytes are the same key needs another policy. */
#ifndef NINHO_LEVELDB_H
#define NINHO_LEVELDB_H

#include <leveldb/c.h>

#include "block.h" /* the options, and the functions that a policy is made of */

#ifdef __cplusplus
extern "C" {
#endif

/* A policy for leveldb_options_set_filter_policy(). On success *out is the caller's, to be
 * freed with leveldb_filterpolicy_destroy() after every database that uses it was closed; on
 * failure *out is untouched. `options` may be NULL. NINHO_ERR_ARG (error says which field,
 * and the range), NINHO_ERR_UNSUPPORTED (another kind), NINHO_ERR_NOMEM. Any number of
 * databases and threads may use one policy. */
NINHO_API ninho_status ninho_leveldb_policy(const ninho_leveldb_options *options,
                                            leveldb_filterpolicy_t **out,
                                            ninho_error *error);

#ifdef __cplusplus
}
#endif

#endif
