# SPDX-License-Identifier: MIT
# Flags for our own targets: ninho_own(TARGET) gives one the language level and the warnings.
# Nothing here depends on the machine that builds: kernels for newer CPUs carry their own target
# attribute, and are picked when the program runs.

if(NINHO_SANITIZE)
    add_compile_options(-fsanitize=${NINHO_SANITIZE} -fno-sanitize-recover=all
                        -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${NINHO_SANITIZE})
endif()
if(NINHO_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Whoever builds us as a part of something else is not to read our warnings.
set(ninho_warnings "")
if(is_top_level)
    set(ninho_warnings -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes
        -Wmissing-prototypes -Wvla -Wundef)
endif()
if(NINHO_WERROR)
    list(APPEND ninho_warnings -Werror)
endif()

# For programs in C++: ninho_own_cxx(TARGET STANDARD).
function(ninho_own_cxx target standard)
    set_target_properties(${target} PROPERTIES
        CXX_STANDARD ${standard}
        CXX_STANDARD_REQUIRED ON
        CXX_EXTENSIONS OFF)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
        $<$<BOOL:${NINHO_WERROR}>:-Werror>)
endfunction()

function(ninho_own target)
    set_target_properties(${target} PROPERTIES
        C_STANDARD 11
        C_STANDARD_REQUIRED ON
        C_EXTENSIONS OFF
        C_VISIBILITY_PRESET hidden)
    target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L
        $<$<BOOL:${MINGW}>:__USE_MINGW_ANSI_STDIO=1>)
    target_compile_options(${target} PRIVATE ${ninho_warnings})
endfunction()
