# SPDX-License-Identifier: MIT
# 32-bit x86 on a 64-bit machine, with gcc-12-multilib. (gcc-multilib, which would add the folder
# of the kernel's asm/ headers, cannot be installed beside a cross compiler.)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(CMAKE_C_COMPILER gcc-12)
set(CMAKE_C_FLAGS_INIT "-m32 -isystem /usr/include/x86_64-linux-gnu")
