/* SPDX-License-Identifier: MIT */
#include "conform/fpr.h"

int main(void)
{
    return fpr_main(2, 4);
}
