/* SPDX-License-Identifier: MIT */
/* Languages and their files; compiled.h draws both. */
#include "compiled.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/base/reader.h"
#include "unicode.h"

static const uint8_t magic[8] = "NINHOHY";

#define CHECKSUM_FROM 32

/* ---- Little-endian ----------------------------------------------------------------- */

static uint32_t load32(const uint8_t *p)
{
    return (uint32_t)na_load(p, 4);
}

static const bool is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

/* unreached: a big-endian machine's */
static void reverse(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size / 2; i++) {
        const uint8_t byte = bytes[i];
        bytes[i] = bytes[size - 1 - i];
        bytes[size - 1 - i] = byte;
    }
}

/* unreached: a big-endian machine's */
static void reverse_each(uint8_t *bytes, size_t size, size_t word)
{
    for (size_t i = 0; i < size; i += word)
        reverse(bytes + i, word);
}

/* Between the file's order and this machine's, either way. */
/* unreached: a big-endian machine's */
static void turn_parts(uint8_t *bytes, const struct hy_header *header,
                       const struct hy_layout *layout)
{
    reverse_each(bytes + layout->letters, (size_t)header->n_letters * 4, 4);
    reverse_each(bytes + layout->dense, layout->sparse - layout->dense,
                 header->n_sparse ? 8 : 4);
    reverse_each(bytes + layout->sparse, layout->outputs - layout->sparse, 8);
    for (size_t i = 0; i < header->n_outputs; i++) {
        uint8_t *output = bytes + layout->outputs + i * sizeof(struct hy_output);
        reverse(output, 8);
        reverse(output + 8, 4);
        reverse(output + 12, 2);
        reverse(output + 14, 2);
    }
}

/* ---- The header -------------------------------------------------------------------- */

static size_t round8(size_t size)
{
    return (size + 7) / 8 * 8;
}

bool hy_lay_out(const struct hy_header *h, struct hy_layout *layout)
{
    if (h->n_letters > HY_MAX_SYMBOLS - HY_FIRST_LETTER ||
        h->n_symbols != h->n_letters + HY_FIRST_LETTER || h->n_dense < h->n_symbols ||
        h->n_dense > HY_MAX_DENSE || (h->n_sparse && h->n_sparse < h->n_symbols) ||
        h->n_sparse > HY_MAX_SPARSE || h->n_outputs < 1 ||
        h->n_outputs > HY_MAX_OUTPUTS ||
        h->n_tail > HY_MAX_OUTPUTS * (uint32_t)HY_MAX_ITEM)
        return false;
    /* Each part is below 2^28 bytes, so the sums fit 32 bits. */
    layout->letters = HY_HEADER_SIZE;
    layout->dense = layout->letters + round8((size_t)h->n_letters * 4);
    layout->sparse = layout->dense + round8((size_t)h->n_dense * (h->n_sparse ? 8 : 4));
    layout->outputs = layout->sparse + (size_t)h->n_sparse * 8;
    layout->tail = layout->outputs + (size_t)h->n_outputs * sizeof(struct hy_output);
    layout->size = layout->tail + round8(h->n_tail);
    return layout->size <= HY_MAX_SIZE;
}

static void write_header(const struct hy_header *h, size_t size, uint8_t *out)
{
    const uint32_t numbers[] = {h->left,       h->right,        h->max_letters,
                                h->n_patterns, h->n_exceptions, h->n_letters,
                                h->n_states,   h->n_symbols,    h->n_dense,
                                h->n_sparse,   h->n_outputs,    h->n_tail};

    memset(out, 0, HY_HEADER_SIZE);
    memcpy(out, magic, sizeof magic);
    na_store(out + 8, HY_VERSION, 4);
    na_store(out + 12, HY_HEADER_SIZE, 4);
    na_store(out + 16, size, 8);
    memcpy(out + 32, h->name, sizeof h->name);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        na_store(out + 64 + 4 * i, numbers[i], 4);
    na_store(out + 112, h->root, 8);
}

static void read_numbers(const uint8_t *bytes, struct hy_header *h)
{
    uint32_t *const numbers[] = {&h->left,       &h->right,        &h->max_letters,
                                 &h->n_patterns, &h->n_exceptions, &h->n_letters,
                                 &h->n_states,   &h->n_symbols,    &h->n_dense,
                                 &h->n_sparse,   &h->n_outputs,    &h->n_tail};

    memcpy(h->name, bytes + 32, sizeof h->name);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        *numbers[i] = load32(bytes + 64 + 4 * i);
    h->root = na_load(bytes + 112, 8);
}

static uint64_t checksum_of(const uint8_t *bytes, size_t size)
{
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3};
    return ninho_hash_bytes(&hasher, bytes + CHECKSUM_FROM, size - CHECKSUM_FROM);
}

static bool is_minimum(uint32_t value)
{
    return value >= 1 && value <= NINHO_HYPHEN_MAX_MINIMUM;
}

static bool is_text(const char *name)
{
    const char *end = memchr(name, '\0', NINHO_HYPHEN_MAX_NAME + 1);
    if (!end)
        return false;
    for (; end < name + NINHO_HYPHEN_MAX_NAME + 1; end++)
        if (*end)
            return false;
    return true;
}

/* The header of such bytes, checked against their number, and the checksum. */
static ninho_status read_header(const uint8_t *bytes, size_t size, struct hy_header *h,
                                struct hy_layout *layout, ninho_error *error)
{
    if (!ninho_hyphen_is_compiled(bytes, size))
        return na_fail(error, NINHO_ERR_FORMAT, "not a compiled hyphenation file");
    if (size < HY_HEADER_SIZE)
        return na_fail(error, NINHO_ERR_FORMAT, "cut short: %zu bytes", size);
    const uint32_t version = load32(bytes + 8);
    if (version != HY_VERSION)
        return na_fail(
            error, NINHO_ERR_VERSION,
            "format version %u; this program reads version %d: compile it again",
            (unsigned)version, HY_VERSION);
    if (na_load(bytes + 16, 8) != size)
        return na_fail(error, NINHO_ERR_FORMAT,
                       "%zu bytes, where the file should have %llu", size,
                       (unsigned long long)na_load(bytes + 16, 8));
    if (na_load(bytes + 24, 8) != checksum_of(bytes, size))
        return na_fail(error, NINHO_ERR_CHECKSUM,
                       "the checksum does not match: the file is damaged");
    read_numbers(bytes, h);
    if (load32(bytes + 12) != HY_HEADER_SIZE || na_load(bytes + 120, 8) != 0 ||
        !is_text(h->name) || !is_minimum(h->left) || !is_minimum(h->right) ||
        h->max_letters < 1 || h->max_letters > NINHO_HYPHEN_MAX_LETTERS ||
        !hy_lay_out(h, layout) || layout->size != size)
        return na_fail(error, NINHO_ERR_FORMAT, "numbers in the header that cannot be");
    return NINHO_OK;
}

/* ---- The parts --------------------------------------------------------------------- */

static bool are_cells_sound(const struct hy_header *h, const uint64_t *cells, size_t n)
{
    const uint32_t last_base = h->n_sparse - h->n_symbols;
    const uint32_t last_row = h->n_dense - h->n_symbols;
    uint32_t is_bad = 0;

    /* No early end: the compiler can then look at several cells at once. */
    for (size_t i = 0; i < n; i++)
        is_bad |= (uint32_t)(hy_cell_base(cells[i]) > last_base) |
                  (uint32_t)(hy_cell_row(cells[i]) > last_row) |
                  (uint32_t)(hy_cell_output(cells[i]) >= h->n_outputs);
    return is_bad == 0;
}

/* Levels are ones from the lowest bit on: a field and itself plus one share no bit. */
static bool are_levels_sound(uint64_t low)
{
    for (unsigned k = 0; k < HY_LOW_PLACES; k++, low >>= HY_LEVEL_BITS) {
        const uint32_t level = (uint32_t)low & ((1u << HY_LEVEL_BITS) - 1);
        if (level & (level + 1))
            return false;
    }
    return true;
}

static bool are_outputs_sound(const struct hy_header *h, const struct hy_output *outputs,
                              const uint8_t *tail)
{
    for (size_t i = 0; i < h->n_outputs; i++) {
        const struct hy_output *output = &outputs[i];
        if (!are_levels_sound(output->low) || output->is_exception > 1 ||
            output->tail_n > HY_MAX_ITEM || output->tail_at > h->n_tail ||
            output->tail_n > h->n_tail - output->tail_at)
            return false;
    }
    for (size_t i = 0; i < h->n_tail; i++)
        if (tail[i] > HY_MAX_LEVEL)
            return false;
    return true;
}

static bool are_letters_sound(const uint32_t *letters, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (letters[i] > 0x10FFFF || letters[i] == '-' || letters[i] == HY_BOUNDARY ||
            (i > 0 && letters[i] <= letters[i - 1]))
            return false;
    return true;
}

static bool are_flat_cells_sound(const struct hy_header *h, const uint32_t *cells,
                                 size_t n)
{
    const uint32_t last_row = h->n_dense - h->n_symbols;
    uint32_t is_bad = 0;

    for (size_t i = 0; i < n; i++)
        is_bad |= (uint32_t)((cells[i] & (HY_MAX_DENSE - 1)) > last_row) |
                  (uint32_t)(cells[i] >> HY_FLAT_SHIFT >= h->n_outputs);
    return is_bad == 0;
}

static bool is_automaton_sound(const uint8_t *bytes, const struct hy_header *h,
                               const struct hy_layout *layout)
{
    const void *dense = bytes + layout->dense, *sparse = bytes + layout->sparse;

    if (h->n_sparse == 0) {
        const uint32_t root = (uint32_t)h->root;
        return root == h->root && are_flat_cells_sound(h, &root, 1) &&
               are_flat_cells_sound(h, dense, h->n_dense);
    }
    return are_cells_sound(h, &h->root, 1) && are_cells_sound(h, dense, h->n_dense) &&
           are_cells_sound(h, sparse, h->n_sparse);
}

static bool are_parts_sound(const uint8_t *bytes, const struct hy_header *h,
                            const struct hy_layout *layout)
{
    const void *letters = bytes + layout->letters, *outputs = bytes + layout->outputs;

    return are_letters_sound(letters, h->n_letters) &&
           is_automaton_sound(bytes, h, layout) &&
           are_outputs_sound(h, outputs, bytes + layout->tail);
}

/* ---- Signs to symbols -------------------------------------------------------------- */

/* A letter's symbol by search; 0 if it is not of the alphabet. */
static uint32_t search_letter(const ninho_hyphen_language *language, uint32_t point)
{
    size_t low = 0, high = language->header.n_letters;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (language->letters[middle] < point)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < language->header.n_letters && language->letters[low] == point)
        return HY_FIRST_LETTER + (uint32_t)low;
    return 0;
}

static uint32_t work_out_symbol(const ninho_hyphen_language *language, uint32_t point)
{
    if (point == '-' || point == HY_SOFT_HYPHEN)
        return HY_FORBIDS;
    const uint32_t symbol = search_letter(language, hy_lower(point));
    if (symbol)
        return symbol;
    return hy_is_letter(point) ? HY_OTHER : HY_NOT_LETTER;
}

uint32_t hy_symbol_of(const ninho_hyphen_language *language, uint32_t point)
{
    if (point < 128)
        return language->ascii[point];
    if (point < 0x10000) {
        const unsigned page = language->page_of[point >> HY_PAGE_BITS];
        if (page)
            return language->pages[page - 1][point & ((1u << HY_PAGE_BITS) - 1)];
    }
    return work_out_symbol(language, point);
}

static void want_page(ninho_hyphen_language *language, uint32_t point)
{
    if (point < 128 || point >= 0x10000)
        return;
    uint8_t *page = &language->page_of[point >> HY_PAGE_BITS];
    if (*page == 0 && language->n_pages < 255)
        *page = (uint8_t)++language->n_pages;
}

static ninho_status make_pages(ninho_hyphen_language *language)
{
    struct hy_upper_cursor cursor = {0};
    uint32_t upper, lower;

    for (uint32_t i = 0; i < 256; i++)
        language->ascii[i] = (uint16_t)(i < 128 ? work_out_symbol(language, i) : HY_WIDE);
    for (uint32_t i = 0; i < language->header.n_letters; i++)
        want_page(language, language->letters[i]);
    while (hy_next_upper(&cursor, &upper, &lower))
        if (search_letter(language, lower))
            want_page(language, upper);
    if (language->n_pages == 0)
        return NINHO_OK;
    language->pages =
        na_alloc(&language->alloc, language->n_pages, sizeof *language->pages);
    if (!language->pages)
        return NINHO_ERR_NOMEM;
    for (uint32_t i = 0; i < HY_N_PAGES; i++) {
        if (!language->page_of[i])
            continue;
        uint16_t *page = language->pages[language->page_of[i] - 1];
        for (uint32_t k = 0; k < 1u << HY_PAGE_BITS; k++)
            page[k] = (uint16_t)work_out_symbol(language, (i << HY_PAGE_BITS) + k);
    }
    return NINHO_OK;
}

/* ---- Life -------------------------------------------------------------------------- */

ninho_status hy_language_make(const ninho_alloc *alloc, uint8_t *bytes, size_t size,
                              const struct hy_header *header, bool is_mapped,
                              ninho_hyphen_language **out, ninho_error *error)
{
    struct hy_layout layout;
    ninho_hyphen_language *language = na_alloc(alloc, 1, sizeof *language);

    if (!language || !hy_lay_out(header, &layout)) {
        na_free(alloc, language, 1, sizeof *language);
        return na_no_memory(error);
    }
    *language = (ninho_hyphen_language){
        .alloc = *alloc, .bytes = bytes, .size = size, .is_mapped = is_mapped};
    language->header = *header;
    language->letters = (const void *)(bytes + layout.letters);
    if (header->n_sparse) {
        language->dense = (const void *)(bytes + layout.dense);
        language->sparse = (const void *)(bytes + layout.sparse);
    } else {
        language->flat = (const void *)(bytes + layout.dense);
    }
    language->outputs = (const void *)(bytes + layout.outputs);
    language->tail = bytes + layout.tail;
    language->start = hy_step(language, header->n_sparse == 0, header->root, HY_EDGE);
    if (make_pages(language)) {
        na_free(alloc, language, 1, sizeof *language);
        return na_no_memory(error);
    }
    *out = language;
    return NINHO_OK;
}

void ninho_hyphen_language_free(ninho_hyphen_language *language)
{
    if (!language)
        return;
    const ninho_alloc alloc = language->alloc;
    if (language->is_mapped)
        munmap(language->bytes, language->size);
    else
        na_free(&alloc, language->bytes, language->size, 1);
    na_free(&alloc, language->pages, language->n_pages, sizeof *language->pages);
    na_free(&alloc, language, 1, sizeof *language);
}

ninho_status ninho_hyphen_set_minima(ninho_hyphen_language *language,
                                     ninho_hyphen_minima minima)
{
    if (minima.left > NINHO_HYPHEN_MAX_MINIMUM || minima.right > NINHO_HYPHEN_MAX_MINIMUM)
        return NINHO_ERR_ARG;
    if (minima.left)
        language->header.left = minima.left;
    if (minima.right)
        language->header.right = minima.right;
    return NINHO_OK;
}

ninho_status ninho_hyphen_info_of(const ninho_hyphen_language *language,
                                  ninho_hyphen_info *info)
{
    const struct hy_header *h = &language->header;
    ninho_hyphen_info mine = NINHO_HYPHEN_INFO_INIT;

    memcpy(mine.name, h->name, sizeof mine.name);
    mine.minima = (ninho_hyphen_minima){.left = h->left, .right = h->right};
    mine.max_letters = h->max_letters;
    mine.n_patterns = h->n_patterns;
    mine.n_exceptions = h->n_exceptions;
    mine.n_letters = h->n_letters;
    mine.n_states = h->n_states;
    mine.size_bytes = language->size;
    mine.memory_bytes =
        language->size + sizeof *language + language->n_pages * sizeof *language->pages;
    mine.is_mapped = language->is_mapped;
    return na_struct_out(info, &mine, sizeof mine);
}

/* ---- Bytes ------------------------------------------------------------------------- */

bool ninho_hyphen_is_compiled(const void *bytes, size_t size)
{
    return size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

ninho_status ninho_hyphen_encode(const ninho_hyphen_language *language, void *bytes,
                                 size_t capacity, size_t *size)
{
    struct hy_layout layout;
    uint8_t *out = bytes;

    if (size)
        *size = language->size;
    if (capacity < language->size)
        return NINHO_ERR_SPACE;
    if (!hy_lay_out(&language->header, &layout))
        return NINHO_ERR_FORMAT; /* cannot be: it was laid out when it was made */
    memcpy(out, language->bytes, language->size);
    if (is_big_endian) /* unreached: see turn_parts */
        turn_parts(out, &language->header, &layout);
    write_header(&language->header, language->size, out);
    na_store(out + 24, checksum_of(out, language->size), 8);
    return NINHO_OK;
}

/* A language over bytes that begin on a multiple of 8, all checks made; takes them over on
 * success. They are turned in place on big-endian machines, so those do not map. */
static ninho_status open_bytes(const ninho_alloc *alloc, uint8_t *bytes, size_t size,
                               bool is_mapped, ninho_hyphen_language **out,
                               ninho_error *error)
{
    struct hy_layout layout;
    struct hy_header header;

    const ninho_status status = read_header(bytes, size, &header, &layout, error);
    if (status)
        return status;
    if (is_big_endian) /* unreached: see turn_parts */
        turn_parts(bytes, &header, &layout);
    if (!are_parts_sound(bytes, &header, &layout))
        return na_fail(error, NINHO_ERR_FORMAT,
                       "an automaton that leads outside the file");
    return hy_language_make(alloc, bytes, size, &header, is_mapped, out, error);
}

ninho_status ninho_hyphen_decode(const void *bytes, size_t size, const ninho_alloc *alloc,
                                 ninho_hyphen_language **out, ninho_error *error)
{
    const ninho_alloc own = na_allocator(alloc);
    struct hy_layout layout;
    struct hy_header header;

    /* First, so that nothing is allocated for bytes that are not ours. */
    ninho_status status = read_header(bytes, size, &header, &layout, error);
    if (status)
        return status;
    uint8_t *copy = na_alloc(&own, size, 1);
    if (!copy)
        return na_no_memory(error);
    memcpy(copy, bytes, size);
    status = open_bytes(&own, copy, size, false, out, error);
    if (status)
        na_free(&own, copy, size, 1);
    return status;
}

/* ---- Files ------------------------------------------------------------------------- */

static ninho_status save_bytes(const uint8_t *bytes, size_t size, const char *path,
                               ninho_error *error)
{
    ninho_file *file;

    ninho_status status = ninho_file_begin(path, NULL, &file, error);
    if (status)
        return status;
    status = ninho_file_write(file, bytes, size, error);
    if (!status)
        return ninho_file_commit(file, error);
    ninho_file_drop(file);
    return status;
}

ninho_status ninho_hyphen_save(const ninho_hyphen_language *language, const char *path,
                               ninho_error *error)
{
    const ninho_alloc *alloc = &language->alloc;
    uint8_t *bytes = na_alloc(alloc, language->size, 1);

    if (!bytes)
        return na_no_memory(error);
    ninho_status status = ninho_hyphen_encode(language, bytes, language->size, NULL);
    if (!status)
        status = save_bytes(bytes, language->size, path, error);
    na_free(alloc, bytes, language->size, 1);
    return status;
}

ninho_status ninho_hyphen_open(const char *path, const ninho_alloc *alloc,
                               ninho_hyphen_language **out, ninho_error *error)
{
    const ninho_alloc own = na_allocator(alloc);
    struct na_bytes bytes;

    ninho_status status = na_file_read(&own, path, HY_MAX_SIZE, &bytes, error);
    if (status)
        return status;
    status = open_bytes(&own, bytes.data, bytes.size, false, out, error);
    if (status)
        na_bytes_free(&own, &bytes);
    return status;
}

ninho_status ninho_hyphen_map(const char *path, const ninho_alloc *alloc,
                              ninho_hyphen_language **out, ninho_error *error)
{
    const ninho_alloc own = na_allocator(alloc);
    ninho_status status;
    struct stat about;

    if (is_big_endian) /* unreached: see turn_parts */
        return ninho_hyphen_open(path, alloc, out, error);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return na_fail_errno(error, errno, "cannot open it");
    if (fstat(fd, &about) != 0) {
        status = na_fail_errno(error, errno, "cannot read it");
    } else if (!S_ISREG(about.st_mode) || about.st_size < HY_HEADER_SIZE ||
               (uintmax_t)about.st_size > HY_MAX_SIZE) {
        status = na_fail(error, NINHO_ERR_FORMAT, "not a compiled hyphenation file");
    } else {
        const size_t size = (size_t)about.st_size;
        void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes == MAP_FAILED) {
            status = na_fail_errno(error, errno, "cannot map it");
        } else {
            status = open_bytes(&own, bytes, size, true, out, error);
            if (status)
                munmap(bytes, size);
        }
    }
    close(fd);
    return status;
}
