/* SPDX-License-Identifier: MIT */
#include "object.h"

#include <string.h>

#include "opaque.h"

RedisModuleType *nr_type;
size_t nr_cap;

static void *account_alloc(void *context, size_t size)
{
    struct nr_account *account = context;

    if (nr_cap && (size > nr_cap || account->used > nr_cap - size))
        return NULL;
    void *memory = redis.TryAlloc(size);
    if (memory)
        account->used += size;
    return memory;
}

static void account_free(void *context, void *memory, size_t size)
{
    struct nr_account *account = context;

    account->used -= size;
    redis.Free(memory);
}

ninho_alloc nr_object_alloc(const struct nr_object *object)
{
    return (ninho_alloc){account_alloc, account_free, object->account};
}

struct nr_object *nr_object_new(enum nr_face face)
{
    struct nr_object *object = redis.Calloc(1, sizeof *object);

    object->face = face;
    object->layers_room = 1;
    object->layers = redis.Calloc(1, sizeof *object->layers);
    object->account = redis.Calloc(1, sizeof *object->account);
    return object;
}

void nr_object_free(struct nr_object *object)
{
    if (!object)
        return;
    for (uint32_t i = 0; i < object->n_layers; i++)
        ninho_filter_free(object->layers[i].filter);
    redis.Free(object->bytes);
    nr_opaque_free(object->opaque);
    redis.Free(object->layers);
    redis.Free(object->account);
    memset(object->secret, 0, sizeof object->secret);
    redis.Free(object);
}

bool nr_object_insert(struct nr_object *object, ninho_filter *filter, uint64_t capacity,
                      uint32_t level)
{
    uint32_t at = object->n_layers;

    if (object->n_layers == (object->face == NR_NINHO ? 1 : NR_MAX_LAYERS))
        return false;
    if (object->n_layers == object->layers_room) {
        object->layers_room *= 2;
        object->layers =
            redis.Realloc(object->layers, object->layers_room * sizeof *object->layers);
    }
    for (; at > 0 && object->layers[at - 1].level > level; at--)
        object->layers[at] = object->layers[at - 1];
    object->layers[at] = (struct nr_layer){filter, capacity, level};
    object->n_layers++;
    return true;
}

void nr_object_drop_last(struct nr_object *object)
{
    ninho_filter_free(object->layers[--object->n_layers].filter);
}

struct nr_object *nr_object_copy(const struct nr_object *object, ninho_error *error)
{
    struct nr_object *copy = nr_object_new(object->face);
    struct nr_layer *layers = copy->layers;
    struct nr_account *account = copy->account;

    *copy = *object;
    copy->layers = layers;
    copy->layers_room = 1;
    copy->account = account;
    copy->n_layers = 0;
    copy->bytes = NULL;
    if (object->n_bytes) {
        copy->bytes = redis.Alloc(object->n_room);
        memcpy(copy->bytes, object->bytes, object->n_bytes);
    }
    copy->opaque = object->opaque ? nr_opaque_copy(object->opaque) : NULL;
    const ninho_alloc alloc = nr_object_alloc(copy);
    for (uint32_t i = 0; i < object->n_layers; i++) {
        const struct nr_layer *layer = &object->layers[i];
        ninho_filter *filter;
        if (ninho_filter_copy(layer->filter, &alloc, &filter, error)) {
            nr_object_free(copy);
            return NULL;
        }
        (void)nr_object_insert(copy, filter, layer->capacity, layer->level);
    }
    return copy;
}

size_t nr_object_bytes(const struct nr_object *object)
{
    return sizeof *object + object->layers_room * sizeof *object->layers +
           sizeof *object->account + object->account->used + object->n_room +
           (object->opaque ? nr_opaque_bytes(object->opaque) : 0);
}

uint64_t nr_object_count(const struct nr_object *object)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < object->n_layers; i++) {
        const uint64_t count = ninho_filter_count(object->layers[i].filter);
        sum = count < INT64_MAX - sum ? sum + count : INT64_MAX;
    }
    return sum;
}
