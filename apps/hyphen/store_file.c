/* SPDX-License-Identifier: MIT */
/* Exceptions in a file that is one of the library's dictionaries (docs/format.md): read whole when it
 * is opened, with every checksum and number checked, and replaced whole at each change.
 *
 * Besides the words it holds a mark that says whose it is and, if it was named, the language, under
 * keys that no word can be:
 *
 *     \0hyphen-exceptions   1, the version of what is said here
 *     \0language en-us      0
 *
 * A change reads the file again, so that nothing is lost that another process put there. From that
 * reading until the file is replaced it holds a lock on the folder, which is there also when the
 * file is not. */
#define _DEFAULT_SOURCE /* flock */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ninho/file.h>

#include "apps/base/utf8.h"
#include "store.h"

#define VERSION   1
#define MAX_TRIES 16 /* when programs that do not lock change the file */

struct file_store {
    struct hy_store store;
    ninho_alloc alloc;
    ninho_dict *dict;
    ninho_dict_kind kind; /* of a new file */
    char *path;
    size_t path_size; /* with its NUL */
    size_t max_bytes;
    size_t n_reserved; /* records that are no words */
    bool is_new;       /* there is no file yet */
    char language[NINHO_HYPHEN_MAX_NAME + 1];
};

/* What a file holds at some moment. */
struct content {
    ninho_dict *dict;
    ninho_file_id id;
    size_t n_reserved;
    bool is_new;
};

static const char mark_key[] = "\0hyphen-exceptions";
static const char language_prefix[] = "\0language ";
#define MARK_SIZE   (sizeof mark_key - 1)
#define PREFIX_SIZE (sizeof language_prefix - 1)

static const struct file_store *of(const struct hy_store *store)
{
    return (const struct file_store *)(const void *)store;
}

static struct file_store *change_of(struct hy_store *store)
{
    return (struct file_store *)(void *)store;
}

static void file_free(struct hy_store *store)
{
    struct file_store *self = change_of(store);
    const ninho_alloc alloc = self->alloc;

    ninho_dict_free(self->dict);
    na_free(&alloc, self->path, self->path_size, 1);
    na_free(&alloc, self, 1, sizeof *self);
}

/* ---- What a file may hold ---------------------------------------------------------- */

static bool is_reserved(const void *key, size_t size)
{
    return size > 0 && *(const uint8_t *)key == 0;
}

/* Letters in UTF-8, at most as many as there can be breaks between, and breaks between them. */
static bool is_word(const uint8_t *key, size_t size, uint64_t breaks)
{
    unsigned n_letters = 0;

    for (size_t at = 0; at < size; n_letters++) {
        const unsigned used = na_utf8_read(key + at, size - at, NULL);
        if (used == 0 || n_letters == NINHO_HYPHEN_TEX_LETTERS)
            return false;
        at += used;
    }
    return n_letters > 0 && (breaks & 1) == 0 && breaks >> n_letters == 0;
}

static ninho_status check_reserved(const uint8_t *key, size_t size, uint64_t value,
                                   const char *wanted, ninho_error *error)
{
    if (size == MARK_SIZE && memcmp(key, mark_key, size) == 0) {
        if (value == VERSION)
            return NINHO_OK;
        return na_fail(error, NINHO_ERR_VERSION,
                       "exceptions: version %llu, this program knows %d",
                       (unsigned long long)value, VERSION);
    }
    if (size > PREFIX_SIZE && memcmp(key, language_prefix, PREFIX_SIZE) == 0)
        return hy_check_language(key + PREFIX_SIZE, size - PREFIX_SIZE, wanted, error);
    return na_fail(error, NINHO_ERR_FORMAT, "exceptions: an unknown record in the file");
}

static ninho_status check_content(struct content *content, const char *wanted,
                                  ninho_error *error)
{
    ninho_status status = NINHO_OK;
    uint64_t cursor = 0;
    const void *key;
    uint64_t value;
    size_t size;

    if (!ninho_dict_get(content->dict, mark_key, MARK_SIZE, NULL))
        return na_fail(error, NINHO_ERR_FORMAT,
                       "exceptions: a dictionary with other things in it");
    while (!status && ninho_dict_next(content->dict, &cursor, &key, &size, &value)) {
        if (is_reserved(key, size)) {
            content->n_reserved++;
            status = check_reserved(key, size, value, wanted, error);
        } else if (!is_word(key, size, value)) {
            status = na_fail(error, NINHO_ERR_FORMAT,
                             "exceptions: a record that is no word with its breaks");
        }
    }
    if (!status && content->n_reserved > 2)
        status = na_fail(error, NINHO_ERR_FORMAT, "exceptions: more than one language");
    return status;
}

static ninho_status decode(const struct file_store *self, const struct na_bytes *bytes,
                           struct content *content, ninho_error *error)
{
    ninho_open_options options = NINHO_OPEN_INIT;

    if (bytes->size == 0)
        return na_fail(error, NINHO_ERR_FORMAT, "exceptions: the file is empty");
    if (hy_is_lmdb(bytes->data, bytes->size))
        return na_fail(error, NINHO_ERR_FORMAT,
                       "exceptions: an LMDB file, which the store lmdb opens");
    options.alloc = &self->alloc;
    const ninho_status status =
        ninho_dict_decode(bytes->data, bytes->size, &options, &content->dict, error);
    return status ? status : check_content(content, self->language, error);
}

/* What a store begins with: the mark and the language. */
static ninho_status begin_content(const struct file_store *self, struct content *content,
                                  ninho_error *error)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    uint8_t key[PREFIX_SIZE + NINHO_HYPHEN_MAX_NAME];
    const size_t n = strlen(self->language);

    spec.kind = self->kind;
    ninho_status status = ninho_dict_create(&spec, &self->alloc, &content->dict, error);
    if (status)
        return status;
    content->is_new = true;
    content->n_reserved = n ? 2 : 1;
    status = ninho_dict_put(content->dict, mark_key, MARK_SIZE, VERSION, NULL);
    if (!status && n) {
        memcpy(key, language_prefix, PREFIX_SIZE);
        memcpy(key + PREFIX_SIZE, self->language, n);
        status = ninho_dict_put(content->dict, key, PREFIX_SIZE + n, 0, NULL);
    }
    if (status)
        return na_fail(error, status, "exceptions: %s", ninho_status_text(status));
    return NINHO_OK;
}

/* Reads the file, or begins one if there is none. content->dict is the caller's, also on failure. */
static ninho_status load(const struct file_store *self, struct content *content,
                         ninho_error *error)
{
    ninho_error mine = NINHO_ERROR_INIT;
    struct na_bytes bytes = {0};

    *content = (struct content){0};
    /* Known before it is read: a change meanwhile is seen when it is to be replaced. */
    ninho_status status = ninho_file_identify(self->path, &content->id, &mine);
    /* A file that was there is not begun again without the words that were in it. */
    const bool was_there = self->dict && !self->is_new;
    if (status == NINHO_ERR_IO && mine.system_errno == ENOENT && !was_there)
        return begin_content(self, content, error);
    if (!status)
        status = na_file_read(&self->alloc, self->path, self->max_bytes, &bytes, &mine);
    if (status) {
        na_error_copy(error, &mine);
        return status;
    }
    status = decode(self, &bytes, content, error);
    na_bytes_free(&self->alloc, &bytes);
    return status;
}

/* Takes the content over. */
static void adopt(struct file_store *self, const struct content *content)
{
    ninho_dict_free(self->dict);
    self->dict = content->dict;
    self->n_reserved = content->n_reserved;
    self->is_new = content->is_new;
}

static ninho_status file_refresh(struct hy_store *store, ninho_error *error)
{
    struct file_store *self = change_of(store);
    struct content content;

    const ninho_status status = load(self, &content, error);
    if (status)
        ninho_dict_free(content.dict);
    else
        adopt(self, &content);
    return status;
}

/* ---- Changes ----------------------------------------------------------------------- */

/* n keys to be put, with their sizes and breaks; or, with breaks NULL, one to be removed. */
struct change {
    const uint8_t *keys;
    const uint8_t *sizes;
    const uint64_t *breaks;
    size_t n;
};

static bool is_done(const ninho_dict *dict, const struct change *change)
{
    const uint8_t *key = change->keys;

    for (size_t i = 0; i < change->n; i++) {
        uint64_t there;
        if (!ninho_dict_get(dict, key, change->sizes[i], &there) ||
            there != change->breaks[i])
            return false;
        key += change->sizes[i];
    }
    return true;
}

static ninho_status apply(ninho_dict *dict, const struct change *change,
                          ninho_error *error)
{
    const uint8_t *key = change->keys;
    ninho_status status = NINHO_OK;

    if (!change->breaks)
        return ninho_dict_remove(dict, key, change->sizes[0]);
    for (size_t i = 0; i < change->n && !status; i++) {
        status = ninho_dict_put(dict, key, change->sizes[i], change->breaks[i], NULL);
        key += change->sizes[i];
    }
    if (status)
        return na_fail(error, status, "exceptions: %s", ninho_status_text(status));
    return NINHO_OK;
}

static ninho_status write_content(const struct file_store *self,
                                  const struct content *content, ninho_error *error)
{
    ninho_file_options options = NINHO_FILE_INIT;
    ninho_file *file;

    if (ninho_dict_encoded_size(content->dict) > self->max_bytes)
        return na_fail(error, NINHO_ERR_FULL,
                       "exceptions: the file has reached max_bytes");
    options.expected = content->is_new ? NULL : &content->id;
    ninho_status status = ninho_file_begin(self->path, &options, &file, error);
    if (status)
        return status;
    status = ninho_dict_write(content->dict, ninho_file_sink, file, error);
    if (!status)
        return ninho_file_commit(file, error);
    ninho_file_drop(file);
    return status;
}

char *hy_real_path(const char *path)
{
    char *real = realpath(path, NULL);
    struct stat about;

    if (real || errno != ENOENT)
        return real;
    if (lstat(path, &about) == 0) {
        errno = ENOENT;
        return NULL;
    }
    return strdup(path);
}

/* Locks the folder that the file lies in, until *lock, a descriptor, is closed. A link is followed,
 * as it is when the file is replaced, so that all its names have one lock. */
static ninho_status lock_folder(const struct file_store *self, int *lock,
                                ninho_error *error)
{
    char *real = hy_real_path(self->path);

    if (!real)
        return na_fail_errno(error, errno, "exceptions: cannot find the folder");
    char *slash = strrchr(real, '/');
    if (slash)
        slash[1] = '\0';
    const int descriptor = open(slash ? real : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int number = errno;
    free(real);
    if (descriptor < 0)
        return na_fail_errno(error, number, "exceptions: cannot open the folder");
    while (flock(descriptor, LOCK_EX) != 0) {
        if (errno == EINTR)
            continue;
        const ninho_status status =
            na_fail_errno(error, errno, "exceptions: cannot lock the folder");
        (void)close(descriptor);
        return status;
    }
    *lock = descriptor;
    return NINHO_OK;
}

static ninho_status try_change(struct file_store *self, const struct change *change,
                               ninho_error *error)
{
    struct content content;

    ninho_status status = load(self, &content, error);
    const bool is_needed =
        !status && (content.is_new || !change->breaks || !is_done(content.dict, change));
    if (is_needed) {
        status = apply(content.dict, change, error);
        if (!status)
            status = write_content(self, &content, error);
    }
    if (status) {
        ninho_dict_free(content.dict);
        return status;
    }
    content.is_new = false;
    adopt(self, &content);
    return NINHO_OK;
}

static ninho_status make_change(struct file_store *self, const struct change *change,
                                ninho_error *error)
{
    int lock;

    /* Where nothing changes, a file that may only be read is enough. */
    if (change->breaks && !self->is_new && is_done(self->dict, change))
        return NINHO_OK;
    ninho_status status = lock_folder(self, &lock, error);
    if (status)
        return status;
    status = NINHO_ERR_CHANGED;
    for (int i = 0; i < MAX_TRIES && status == NINHO_ERR_CHANGED; i++)
        status = try_change(self, change, error);
    (void)close(lock);
    return status;
}

static ninho_status file_put(struct hy_store *store, const uint8_t *keys,
                             const uint8_t *sizes, const uint64_t *breaks, size_t n,
                             ninho_error *error)
{
    static const uint64_t no_breaks; /* nothing is put, and nothing removed */
    const struct change change = {keys, sizes, n ? breaks : &no_breaks, n};

    return make_change(change_of(store), &change, error);
}

static ninho_status file_remove(struct hy_store *store, const void *key, size_t size,
                                ninho_error *error)
{
    const uint8_t key_size = (uint8_t)size; /* at most HY_MAX_KEY */
    const struct change change = {key, &key_size, NULL, 1};

    return make_change(change_of(store), &change, error);
}

/* ---- Questions --------------------------------------------------------------------- */

static ninho_status file_get(const struct hy_store *store, struct hy_reader *reader,
                             const void *key, size_t size, uint64_t *breaks,
                             ninho_error *error)
{
    (void)reader;
    (void)error;
    return ninho_dict_get(of(store)->dict, key, size, breaks) ? NINHO_OK
                                                              : NINHO_ERR_NOT_FOUND;
}

static ninho_status file_each(const struct hy_store *store, hy_visitor visitor,
                              void *context, ninho_error *error)
{
    ninho_status status = NINHO_OK;
    uint64_t cursor = 0;
    const void *key;
    size_t size;

    (void)error;
    while (!status && ninho_dict_next(of(store)->dict, &cursor, &key, &size, NULL))
        if (!is_reserved(key, size))
            status = visitor(context, key, size);
    return status;
}

static bool file_is_new(const struct hy_store *store)
{
    return of(store)->is_new;
}

static uint64_t file_count(const struct hy_store *store)
{
    return ninho_dict_count(of(store)->dict) - of(store)->n_reserved;
}

static uint64_t file_bytes(const struct hy_store *store)
{
    return of(store)->is_new ? 0 : ninho_dict_encoded_size(of(store)->dict);
}

static const struct hy_store_ops file_ops = {.free = file_free,
                                             .get = file_get,
                                             .put = file_put,
                                             .remove = file_remove,
                                             .each = file_each,
                                             .refresh = file_refresh,
                                             .is_new = file_is_new,
                                             .count = file_count,
                                             .bytes = file_bytes};

/* ---- Opening ----------------------------------------------------------------------- */

static ninho_status open_path(struct file_store *self,
                              const ninho_hyphen_store_options *options,
                              ninho_error *error)
{
    ninho_status status = hy_store_language(options, self->language, error);
    if (status)
        return status;
    const size_t size = strlen(options->path) + 1;
    self->path = na_alloc(&self->alloc, size, 1);
    if (!self->path)
        return na_no_memory(error);
    self->path_size = size;
    memcpy(self->path, options->path, size);
    return file_refresh(&self->store, error);
}

ninho_status hy_store_file(const ninho_hyphen_store_options *options,
                           const ninho_alloc *alloc, struct hy_store **out,
                           ninho_error *error)
{
    const uint64_t max_bytes = options->max_bytes ? options->max_bytes : HY_STORE_BYTES;

    if (!options->path)
        return na_fail(error, NINHO_ERR_ARG,
                       "exceptions: a store in a file needs a path");
    struct file_store *self = na_alloc(alloc, 1, sizeof *self);
    if (!self)
        return na_no_memory(error);
    *self = (struct file_store){.store = {.ops = &file_ops},
                                .alloc = *alloc,
                                .kind = options->dict,
                                .max_bytes =
                                    max_bytes < SIZE_MAX ? (size_t)max_bytes : SIZE_MAX};
    const ninho_status status = open_path(self, options, error);
    if (status) {
        file_free(&self->store);
        return status;
    }
    *out = &self->store;
    return NINHO_OK;
}
