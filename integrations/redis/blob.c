/* SPDX-License-Identifier: MIT */
#include "blob.h"

#include <string.h>

#include "chain.h"

static const char magic[8] = {'N', 'I', 'N', 'H', 'O', 'R', 'D', 'B'};

#define VERSION    1
#define HAS_SECRET 1

static void put(uint8_t *at, uint64_t value, unsigned n_bytes)
{
    for (unsigned i = 0; i < n_bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get(const uint8_t *at, unsigned n_bytes)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < n_bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

static uint64_t checksum(const uint8_t *bytes, size_t size)
{
    static const ninho_hasher hasher = {.id = NINHO_HASH_XXH3};
    return ninho_hash_bytes(&hasher, bytes, size);
}

/* ---- Out --------------------------------------------------------------------------- */

/* All but the layers' records, and the checksum behind them. */
static void encode_parameters(const struct nr_object *object, uint32_t n_layers,
                              uint8_t *header)
{
    uint64_t error;

    memset(header, 0, NR_BLOB_HEADER(n_layers));
    memcpy(header, magic, sizeof magic);
    header[8] = VERSION;
    header[9] = (uint8_t)object->face;
    header[10] = object->has_secret ? HAS_SECRET : 0;
    put(header + 12, n_layers, 4);
    memcpy(&error, &object->error, sizeof error);
    put(header + 16, error, 8);
    put(header + 24, object->capacity, 8);
    put(header + 32, object->expansion, 4);
    put(header + 36, object->bucket, 4);
    put(header + 40, object->iterations, 4);
    put(header + 48, object->n_deleted, 8);
    if (object->has_secret)
        memcpy(header + 56, object->secret, sizeof object->secret);
}

static void encode_header(const struct nr_object *object, uint8_t *header)
{
    const size_t end = NR_BLOB_HEADER(object->n_layers) - 8;

    encode_parameters(object, object->n_layers, header);
    for (uint32_t i = 0; i < object->n_layers; i++) {
        uint8_t *at = header + 72 + 16 * (size_t)i;
        put(at, ninho_filter_encoded_size(object->layers[i].filter), 8);
        put(at + 8, object->layers[i].level, 4);
    }
    put(header + end, checksum(header, end), 8);
}

uint8_t *nr_blob_around(const struct nr_object *object, const void *file, size_t n,
                        size_t *size)
{
    const size_t end = NR_BLOB_HEADER(1) - 8;

    *size = NR_BLOB_HEADER(1) + n;
    uint8_t *bytes = redis.Alloc(*size);
    encode_parameters(object, 1, bytes);
    put(bytes + 72, n, 8);
    put(bytes + end, checksum(bytes, end), 8);
    memcpy(bytes + NR_BLOB_HEADER(1), file, n);
    return bytes;
}

uint64_t nr_blob_size(const struct nr_object *object)
{
    uint64_t size = NR_BLOB_HEADER(object->n_layers);

    for (uint32_t i = 0; i < object->n_layers; i++)
        size += ninho_filter_encoded_size(object->layers[i].filter);
    return size;
}

bool nr_blob_read(const struct nr_object *object, uint64_t offset, uint8_t *bytes,
                  size_t n)
{
    uint8_t header[NR_BLOB_HEADER(NR_MAX_LAYERS)];
    uint64_t at = NR_BLOB_HEADER(object->n_layers);

    if (offset < at && n) {
        const size_t some = n < at - offset ? n : (size_t)(at - offset);
        encode_header(object, header);
        memcpy(bytes, header + offset, some);
        offset += some;
        bytes += some;
        n -= some;
    }
    for (uint32_t i = 0; n && i < object->n_layers; i++) {
        const uint64_t size = ninho_filter_encoded_size(object->layers[i].filter);
        if (offset < at + size) {
            const uint64_t left = at + size - offset;
            const size_t some = n < left ? n : (size_t)left;
            ninho_encoder encoder = {.filter = object->layers[i].filter};
            if (ninho_encoder_read(&encoder, offset - at, bytes, some))
                return false;
            offset += some;
            bytes += some;
            n -= some;
        }
        at += size;
    }
    return n == 0;
}

/* ---- In ---------------------------------------------------------------------------- */

static bool bad(const char *what, ninho_error *error)
{
    (void)ninho_error_set(error, NINHO_ERR_FORMAT, "%s", what);
    return false;
}

static bool begins(const uint8_t *bytes, size_t size, unsigned face)
{
    return size >= NR_BLOB_HEADER(1) && memcmp(bytes, magic, sizeof magic) == 0 &&
           bytes[8] == VERSION && bytes[9] >= NR_NINHO && bytes[9] <= NR_CF &&
           (!face || bytes[9] == face);
}

static bool is_zero(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i])
            return false;
    return true;
}

/* Checks the header and fills the parameters; *n_layers and where the layers begin. */
static bool decode_header(const uint8_t *bytes, size_t size, struct nr_object *object,
                          uint32_t *n_layers, ninho_error *error)
{
    const uint64_t error_rate = get(bytes + 16, 8);

    *n_layers = (uint32_t)get(bytes + 12, 4);
    if (*n_layers < 1 || *n_layers > (object->face == NR_NINHO ? 1 : NR_MAX_LAYERS) ||
        size < NR_BLOB_HEADER(*n_layers))
        return bad("number of layers is impossible", error);
    const size_t end = NR_BLOB_HEADER(*n_layers) - 8;
    if (get(bytes + end, 8) != checksum(bytes, end))
        return bad("checksum does not match", error);
    object->has_secret = bytes[10] & HAS_SECRET;
    if (bytes[10] & ~HAS_SECRET || bytes[11] || !is_zero(bytes + 44, 4) ||
        (!object->has_secret && !is_zero(bytes + 56, NINHO_SECRET_BYTES)) ||
        (object->has_secret && object->face != NR_NINHO))
        return bad("bytes are set that must be zero", error);
    memcpy(&object->error, &error_rate, sizeof error_rate);
    object->capacity = get(bytes + 24, 8);
    object->expansion = (uint32_t)get(bytes + 32, 4);
    object->bucket = (uint32_t)get(bytes + 36, 4);
    object->iterations = (uint32_t)get(bytes + 40, 4);
    object->n_deleted = get(bytes + 48, 8);
    memcpy(object->secret, bytes + 56, sizeof object->secret);
    if (object->face == NR_NINHO && !is_zero(bytes + 16, 40))
        return bad("parameters of a NINHO key are not zero", error);
    return true;
}

static bool decode_layer(const uint8_t *record, const uint8_t *bytes, size_t size,
                         struct nr_object *object, ninho_error *error)
{
    const ninho_alloc alloc = nr_object_alloc(object);
    ninho_open_options options = NINHO_OPEN_INIT;
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter;

    if (!is_zero(record + 12, 4))
        return bad("bytes are set that must be zero", error);
    options.alloc = &alloc;
    options.secret = object->has_secret ? object->secret : NULL;
    options.allow_sealed = object->face == NR_NINHO;
    options.pages = NINHO_PAGES_SMALL;
    if (ninho_filter_decode(bytes, size, &options, &filter, error))
        return false;
    (void)ninho_filter_spec(filter, &spec);
    if (nr_object_insert(object, filter, spec.capacity, (uint32_t)get(record + 8, 4)))
        return true;
    ninho_filter_free(filter);
    return bad("too many layers", error);
}

static bool decode_layers(const uint8_t *bytes, size_t size, uint32_t n_layers,
                          struct nr_object *object, ninho_error *error)
{
    size_t at = NR_BLOB_HEADER(n_layers);
    uint64_t level = 0;

    for (uint32_t i = 0; i < n_layers; i++) {
        const uint8_t *record = bytes + 72 + 16 * (size_t)i;
        const uint64_t layer_size = get(record, 8);
        if (layer_size > size - at)
            return bad("a layer is longer than the bytes there", error);
        if (get(record + 8, 4) < level)
            return bad("layers are out of order", error);
        level = get(record + 8, 4);
        if (!decode_layer(record, bytes + at, (size_t)layer_size, object, error))
            return false;
        at += (size_t)layer_size;
    }
    if (at != size)
        return bad("bytes are left over", error);
    if (object->face != NR_NINHO && !nr_chain_is_sound(object))
        return bad("parameters contradict the layers", error);
    return object->face != NR_NINHO || object->layers[0].level == 0 ||
           bad("level of a NINHO key is not zero", error);
}

uint64_t nr_blob_announced(const uint8_t *bytes, size_t size, unsigned face)
{
    struct nr_object parameters = {0};
    ninho_error error = NINHO_ERROR_INIT;
    uint32_t n_layers;

    if (!begins(bytes, size, face))
        return 0;
    parameters.face = (enum nr_face)bytes[9];
    if (!decode_header(bytes, size, &parameters, &n_layers, &error))
        return 0;
    uint64_t sum = NR_BLOB_HEADER(n_layers);
    for (uint32_t i = 0; i < n_layers; i++) {
        const uint64_t layer_size = get(bytes + 72 + 16 * (size_t)i, 8);
        if (layer_size > PTRDIFF_MAX - sum)
            return 0;
        sum += layer_size;
    }
    return sum;
}

struct nr_object *nr_blob_decode(const uint8_t *bytes, size_t size, unsigned face,
                                 ninho_error *error)
{
    uint32_t n_layers;

    if (!begins(bytes, size, face)) {
        bad("not a filter of this module, or of a newer one", error);
        return NULL;
    }
    struct nr_object *object = nr_object_new((enum nr_face)bytes[9]);
    if (decode_header(bytes, size, object, &n_layers, error) &&
        decode_layers(bytes, size, n_layers, object, error))
        return object;
    nr_object_free(object);
    return NULL;
}
