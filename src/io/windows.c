/* SPDX-License-Identifier: MIT */
/* Files on Windows: what file.c and reading.c do elsewhere. Paths are UTF-8. The new file gets the
 * old one's access control list; its owner is whoever writes it. A file that somebody has mapped or
 * opened without sharing cannot be replaced, and commit says so. */
#ifdef _WIN32

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "base/status.h"
#include "base/versioned.h"
#include "io/file.h"
#include "io/reading.h"

#define MOST_AT_ONCE ((size_t)1 << 30)
#define MAX_ATTEMPTS 100
#define SHARED       (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

struct ninho_file {
    int descriptor;
    wchar_t *target;  /* the path to replace, links followed */
    wchar_t *written; /* the new file's */
    char *temporary;  /* the same in UTF-8 */
    bool is_named;    /* whether it exists now */
    bool is_synced;
    bool is_checked;        /* whether the target must still be `expected` */
    ninho_file_id expected; /* the file to replace */
};

/* ---- Words of the two worlds -------------------------------------------------------- */

static int errno_now(void)
{
    switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
        return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_USER_MAPPED_FILE:
        return EACCES;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
        return EEXIST;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
        return ENOSPC;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
        return ENOMEM;
    default:
        return EIO;
    }
}

/* NULL: no memory, or not UTF-8. */
static wchar_t *wide(const char *path)
{
    const int n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
    wchar_t *out = n > 0 ? malloc((size_t)n * sizeof *out) : NULL;

    if (out)
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, out, n);
    return out;
}

static char *narrow(const wchar_t *path)
{
    const int n = WideCharToMultiByte(CP_UTF8, 0, path, -1, NULL, 0, NULL, NULL);
    char *out = n > 0 ? malloc((size_t)n) : NULL;

    if (out)
        WideCharToMultiByte(CP_UTF8, 0, path, -1, out, n, NULL, NULL);
    return out;
}

static HANDLE handle_of(int descriptor)
{
    return (HANDLE)_get_osfhandle(descriptor); /* NOLINT: the number is a handle */
}

/* ---- Replacing ----------------------------------------------------------------------- */

/* The path behind links, of a file that is there; NULL: no memory. */
static wchar_t *final_path(HANDLE file)
{
    const DWORD n = GetFinalPathNameByHandleW(file, NULL, 0, FILE_NAME_NORMALIZED);
    wchar_t *out = n ? malloc(((size_t)n + 1) * sizeof *out) : NULL;

    if (out && GetFinalPathNameByHandleW(file, out, n + 1, FILE_NAME_NORMALIZED) > n) {
        free(out);
        return NULL;
    }
    return out;
}

/* Where the new file goes: *is_there tells whether a file is there already. */
static ninho_status find_target(ninho_file *file, const char *path, bool *is_there,
                                ninho_error *error)
{
    *is_there = false;
    file->target = wide(path);
    if (!file->target)
        return nh_fail(error, NINHO_ERR_ARG, "the path is not UTF-8");
    const DWORD attributes = GetFileAttributesW(file->target);
    if (attributes == INVALID_FILE_ATTRIBUTES) {
        const int reason = errno_now();
        return reason == ENOENT ? NINHO_OK : nh_fail_errno(error, reason, "cannot write");
    }
    if (attributes & FILE_ATTRIBUTE_DIRECTORY)
        return nh_fail(error, NINHO_ERR_ARG,
                       "is not a regular file: it cannot be replaced");
    HANDLE there = CreateFileW(file->target, 0, SHARED, NULL, OPEN_EXISTING,
                               FILE_ATTRIBUTE_NORMAL, NULL);
    if (there == INVALID_HANDLE_VALUE)
        return nh_fail_errno(error, errno_now(), "cannot write");
    wchar_t *real = final_path(there);
    CloseHandle(there);
    if (real) { /* where the system cannot say, the path is taken as it is */
        free(file->target);
        file->target = real;
    }
    *is_there = true;
    return NINHO_OK;
}

static ninho_status open_temporary(ninho_file *file, ninho_error *error)
{
    const size_t length = wcslen(file->target);
    HANDLE opened = INVALID_HANDLE_VALUE;

    file->written = malloc((length + sizeof ".000000") * sizeof *file->written);
    if (!file->written)
        return nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    memcpy(file->written, file->target, length * sizeof *file->written);
    for (unsigned i = 0; opened == INVALID_HANDLE_VALUE && i < MAX_ATTEMPTS; i++) {
        const unsigned long number = (GetCurrentProcessId() * 101UL + i) % 1000000UL;
        char text[16];
        snprintf(text, sizeof text, ".%06lu", number);
        for (size_t j = 0; j < sizeof ".000000"; j++)
            file->written[length + j] = (wchar_t)text[j];
        opened = CreateFileW(file->written, GENERIC_READ | GENERIC_WRITE, SHARED, NULL,
                             CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
        if (opened == INVALID_HANDLE_VALUE && errno_now() != EEXIST)
            break;
    }
    if (opened == INVALID_HANDLE_VALUE)
        return nh_fail_errno(error, errno_now(), "cannot write");
    file->is_named = true;
    file->descriptor = _open_osfhandle((intptr_t)opened, _O_BINARY);
    file->temporary = narrow(file->written);
    if (file->descriptor < 0)
        CloseHandle(opened);
    return file->descriptor >= 0 && file->temporary
               ? NINHO_OK
               : nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
}

static ninho_status copy_access(const ninho_file *file, ninho_error *error)
{
    DWORD size = 0;

    GetFileSecurityW(file->target, DACL_SECURITY_INFORMATION, NULL, 0, &size);
    void *access = malloc(size ? size : 1);
    const bool copied =
        access &&
        GetFileSecurityW(file->target, DACL_SECURITY_INFORMATION, access, size, &size) &&
        SetFileSecurityW(file->written, DACL_SECURITY_INFORMATION, access);
    const int reason = access ? errno_now() : ENOMEM;
    free(access);
    return copied ? NINHO_OK
                  : nh_fail_errno(error, reason,
                                  "cannot keep its access control list (ACL)");
}

ninho_status ninho_file_begin(const char *path, const ninho_file_options *theirs,
                              ninho_file **out, ninho_error *error)
{
    ninho_file_options options = NINHO_FILE_INIT;
    bool is_there;

    if (!path || !out)
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", path ? "out" : "path");
    if (theirs && !nh_struct_in(&options, sizeof options, theirs))
        return nh_fail(error, NINHO_ERR_ARG,
                       "options are uninitialised: start from NINHO_FILE_INIT");
    if (options.mode > 0777)
        return nh_fail(error, NINHO_ERR_ARG, "mode must be at most 0777");
    ninho_file *file = calloc(1, sizeof *file);
    if (!file)
        return nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    file->descriptor = -1;
    if (options.expected) {
        file->expected = *options.expected;
        file->is_checked = true;
    }
    ninho_status status = find_target(file, path, &is_there, error);
    if (!status)
        status = open_temporary(file, error);
    if (!status && is_there)
        status = copy_access(file, error);
    if (status) {
        ninho_file_drop(file);
        return status;
    }
    *out = file;
    return NINHO_OK;
}

ninho_status ninho_file_write(ninho_file *file, const void *bytes, size_t size,
                              ninho_error *error)
{
    const uint8_t *at = bytes;

    if (!file || (size && !bytes))
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", file ? "bytes" : "file");
    file->is_synced = false;
    while (size) {
        DWORD n = 0;
        if (!WriteFile(handle_of(file->descriptor), at,
                       (DWORD)(size < MOST_AT_ONCE ? size : MOST_AT_ONCE), &n, NULL))
            return nh_fail_errno(error, errno_now(), "cannot write");
        at += n;
        size -= n;
    }
    return NINHO_OK;
}

ninho_status ninho_file_sink(void *file, const void *bytes, size_t size,
                             ninho_error *error)
{
    return ninho_file_write(file, bytes, size, error);
}

ninho_status ninho_file_sync(ninho_file *file, ninho_error *error)
{
    if (!file)
        return nh_fail(error, NINHO_ERR_ARG, "file is NULL");
    if (!file->is_synced && !FlushFileBuffers(handle_of(file->descriptor)))
        return nh_fail_errno(error, errno_now(), "cannot write");
    file->is_synced = true;
    return NINHO_OK;
}

static ninho_status identify(const wchar_t *path, ninho_file_id *id, ninho_error *error)
{
    BY_HANDLE_FILE_INFORMATION found;
    HANDLE file = CreateFileW(path, 0, SHARED, NULL, OPEN_EXISTING,
                              FILE_FLAG_BACKUP_SEMANTICS, NULL);
    const bool is_known =
        file != INVALID_HANDLE_VALUE && GetFileInformationByHandle(file, &found);
    const int reason = errno_now();

    if (file != INVALID_HANDLE_VALUE)
        CloseHandle(file);
    if (!is_known)
        return nh_fail_errno(error, reason, "cannot open");
    *id = (ninho_file_id){{found.dwVolumeSerialNumber,
                           (uint64_t)found.nFileIndexHigh << 32 | found.nFileIndexLow,
                           (uint64_t)found.nFileSizeHigh << 32 | found.nFileSizeLow,
                           (uint64_t)found.ftLastWriteTime.dwHighDateTime << 32 |
                               found.ftLastWriteTime.dwLowDateTime}};
    return NINHO_OK;
}

ninho_status ninho_file_identify(const char *path, ninho_file_id *id, ninho_error *error)
{
    if (!path || !id)
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", path ? "id" : "path");
    wchar_t *name = wide(path);
    if (!name)
        return nh_fail(error, NINHO_ERR_ARG, "the path is not UTF-8");
    const ninho_status status = identify(name, id, error);
    free(name);
    return status;
}

static ninho_status commit(ninho_file *file, ninho_error *error)
{
    ninho_file_id now;
    const ninho_status status = ninho_file_sync(file, error);

    if (status)
        return status;
    if (file->is_checked && (identify(file->target, &now, NULL) ||
                             memcmp(&now, &file->expected, sizeof now) != 0))
        return nh_fail(error, NINHO_ERR_CHANGED,
                       "was changed by another program in the meantime: nothing was "
                       "written");
    _close(file->descriptor);
    file->descriptor = -1;
    if (!MoveFileExW(file->written, file->target,
                     MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH))
        return nh_fail_errno(error, errno_now(), "cannot write");
    file->is_named = false; /* it bears the target's name now */
    return NINHO_OK;
}

ninho_status ninho_file_commit(ninho_file *file, ninho_error *error)
{
    if (!file)
        return nh_fail(error, NINHO_ERR_ARG, "file is NULL");
    const ninho_status status = commit(file, error);
    ninho_file_drop(file);
    return status;
}

void ninho_file_drop(ninho_file *file)
{
    if (!file)
        return;
    if (file->descriptor >= 0)
        _close(file->descriptor);
    if (file->is_named)
        DeleteFileW(file->written);
    free(file->target);
    free(file->written);
    free(file->temporary);
    free(file);
}

int ninho_file_descriptor(const ninho_file *file)
{
    return file ? file->descriptor : -1;
}

const char *ninho_file_temporary(const ninho_file *file)
{
    return file && file->is_named ? file->temporary : NULL;
}

/* ---- Reading ------------------------------------------------------------------------- */

ninho_status nh_file_open(const char *path, struct nh_file_in *file, ninho_error *error)
{
    LARGE_INTEGER size;
    wchar_t *name = wide(path);

    if (!name)
        return nh_fail(error, NINHO_ERR_ARG, "the path is not UTF-8");
    const DWORD attributes = GetFileAttributesW(name);
    HANDLE opened = CreateFileW(name, GENERIC_READ, SHARED, NULL, OPEN_EXISTING,
                                FILE_ATTRIBUTE_NORMAL, NULL);
    const int reason = errno_now();
    free(name);
    const bool is_folder =
        attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY);
    if (opened == INVALID_HANDLE_VALUE && !is_folder)
        return nh_fail_errno(error, reason, "cannot open");
    if (is_folder || GetFileType(opened) != FILE_TYPE_DISK ||
        !GetFileSizeEx(opened, &size)) {
        if (opened != INVALID_HANDLE_VALUE)
            CloseHandle(opened);
        return nh_fail(error, NINHO_ERR_ARG, "is not a regular file");
    }
    const int descriptor = _open_osfhandle((intptr_t)opened, _O_RDONLY | _O_BINARY);
    if (descriptor < 0) {
        CloseHandle(opened);
        return nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    }
    *file =
        (struct nh_file_in){.descriptor = descriptor, .size = (uint64_t)size.QuadPart};
    return NINHO_OK;
}

ninho_status nh_file_read(void *context, void *bytes, size_t size, ninho_error *error)
{
    struct nh_file_in *const file = context;
    uint8_t *at = bytes;

    while (size) {
        OVERLAPPED from = {0};
        DWORD n = 0;
        from.Offset = (DWORD)(file->offset & UINT32_MAX);
        from.OffsetHigh = (DWORD)(file->offset >> 32);
        if (!ReadFile(handle_of(file->descriptor), at,
                      (DWORD)(size < MOST_AT_ONCE ? size : MOST_AT_ONCE), &n, &from) &&
            GetLastError() != ERROR_HANDLE_EOF)
            return nh_fail_errno(error, errno_now(), "cannot read");
        if (n == 0)
            return nh_fail_at(error, NINHO_ERR_FORMAT, file->offset,
                              "truncated while it was read");
        at += n;
        size -= n;
        file->offset += n;
    }
    return NINHO_OK;
}

void nh_file_close(struct nh_file_in *file)
{
    _close(file->descriptor);
}

void *nh_file_map(const struct nh_file_in *file)
{
    HANDLE mapping =
        CreateFileMappingW(handle_of(file->descriptor), NULL, PAGE_READONLY, 0, 0, NULL);
    if (!mapping)
        return NULL;
    void *bytes = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0);
    CloseHandle(mapping); /* the view keeps it */
    return bytes;
}

void nh_file_unmap(void *bytes, size_t size)
{
    (void)size;
    UnmapViewOfFile(bytes);
}

#else
typedef int nh_io_windows_is_for_windows; /* C wants a declaration in every file */
#endif
