/* SPDX-License-Identifier: MIT */
/* Cuckoo filters, those too whose table is always about to be full: what they refuse changes
 * nothing. */
#include "model/model.h"

int main(void)
{
    return model_main(family_has_places);
}
