/* SPDX-License-Identifier: MIT */
/* Where memory comes from. */
#ifndef NINHO_ALLOC_H
#define NINHO_ALLOC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An allocator of the caller's, passed at creation and copied into the object; NULL there
 * means malloc and free. `alloc` answers NULL when there is no memory and otherwise
 * memory aligned as malloc's; `size` is never 0. `free` gets what `alloc` gave, with the
 * same size, never NULL. Both are called on the thread that called the library, and only by:
 *   - create, build, copy, decode, read, open, map, join and free;
 *   - an add, put or union that makes a table grow, and a cuckoo filter's search for room;
 *   - clear, reserve, move, set_meta, set_attachment, pack and ninho_encoder_create().
 * has, get, remove, encode, write and all that only asks allocate nothing. Files
 * (<ninho/file.h>) take their names from malloc.
 *
 * With the default allocator, tables of 4 MiB and more are laid on huge pages where the
 * system allows it (see ninho_spec.pages). */
typedef struct ninho_alloc {
    void *(*alloc)(void *context, size_t size);
    void (*free)(void *context, void *memory, size_t size);
    void *context;
} ninho_alloc;

#ifdef __cplusplus
}
#endif

#endif
