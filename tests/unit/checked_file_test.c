/* SPDX-License-Identifier: MIT */
/* Checked filters in files. */
#include "unit/inside.h"

static ninho_checked *made(ninho_semantics semantics)
{
    ninho_spec spec = spec_of(NINHO_CUCKOO, 100, .01);
    ninho_checked *checked = NULL;

    spec.key_encoding = NINHO_KEY_BYTES;
    spec.semantics = semantics;
    CHECK_OK(ninho_checked_create(&spec, NULL, &checked, NULL));
    return checked;
}

static void what_was_saved_is_opened(void **state)
{
    ninho_checked *checked = made(NINHO_SET), *again = NULL;
    struct temp_dir dir;
    char path[512];

    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "checked.ninho", path);
    CHECK_OK(ninho_checked_add_key(checked, "wren", 4, NULL));
    CHECK_OK(ninho_checked_save(checked, path, NULL));
    CHECK_OK(ninho_checked_add_key(checked, "robin", 5, NULL));
    CHECK_OK(ninho_checked_save(checked, path, NULL)); /* packed anew */
    CHECK_OK(ninho_checked_open(path, NULL, &again, NULL));
    CHECK_OK(ninho_checked_verify(again, NULL));
    CHECK(ninho_checked_semantics(again) == NINHO_SET);
    CHECK_U64(ninho_checked_copies(again, "robin", 5), 1);
    CHECK_OK(ninho_checked_remove_key(again, "wren", 4));
    CHECK_STATUS(ninho_checked_remove_key(again, "wren", 4), NINHO_ERR_NOT_FOUND);
    ninho_checked_free(again);
    ninho_checked_free(checked);
    temp_dir_remove(&dir);
}

static void what_cannot_be_opened_is_refused(void **state)
{
    ninho_checked *checked = made(NINHO_MULTISET), *again = NULL;
    ninho_open_options options = NINHO_OPEN_INIT;
    ninho_error error = NINHO_ERROR_INIT;
    struct temp_dir dir;
    char path[512], nowhere[512];

    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "checked.ninho", path);
    temp_path(&dir, "none/checked.ninho", nowhere);
    CHECK_STATUS(ninho_checked_open(path, NULL, &again, &error), NINHO_ERR_IO);
    CHECK(error.system_errno != 0);
    CHECK_OK(ninho_filter_save(ninho_checked_filter(checked), path, NULL));
    CHECK_STATUS(ninho_checked_open(path, NULL, &again, &error), NINHO_ERR_NOT_FOUND);
    CHECK_OK(ninho_checked_save(checked, path, NULL));
    options.secret = (const uint8_t *)"0123456789abcdef";
    CHECK_STATUS(ninho_checked_open(path, &options, &again, NULL), NINHO_ERR_KEY_UNUSED);
    options = (ninho_open_options){0};
    CHECK_STATUS(ninho_checked_open(path, &options, &again, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_checked_open(NULL, NULL, &again, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_checked_open(path, NULL, NULL, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_checked_save(NULL, path, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_checked_save(checked, NULL, NULL), NINHO_ERR_ARG);
    CHECK(!again);
    CHECK_STATUS(ninho_checked_save(checked, nowhere, &error), NINHO_ERR_IO);
    ninho_checked_free(checked);
    temp_dir_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_saved_is_opened),
        cmocka_unit_test(what_cannot_be_opened_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
