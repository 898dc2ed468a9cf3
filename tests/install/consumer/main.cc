/* SPDX-License-Identifier: MIT */
#include "main.c"
