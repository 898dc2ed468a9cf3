/* SPDX-License-Identifier: MIT */
#include "model/model.h"

/* Those that go on past their capacity; the others would be FULL most of the time. */
static bool has_no_places(const struct family *family)
{
    return !family_has_places(family) && family->room != 1;
}

int main(void)
{
    return model_main(has_no_places);
}
