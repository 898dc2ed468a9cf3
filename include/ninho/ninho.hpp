/* SPDX-License-Identifier: MIT */
/* ninho for C++17 and later: header only, over the C interface, whose headers say what each call
 * promises. #include <ninho/ninho.hpp>, link as for C.
 *
 *     auto birds = ninho::filter::create(ninho::spec(NINHO_BLOCKED).capacity(1000).fpr(0.01));
 *     birds.add("robin");
 *     if (birds.has("wren")) ...          // maybe
 *
 * Objects own what they hold, can be moved, and are copied by clone() only. A moved-from or
 * default-constructed one is empty: it may be assigned to, tested (`if (birds)`) and destroyed.
 *
 * Failures come in two forms, as the caller chooses, call by call:
 *     filter::create(...)      throws ninho::error
 *     filter::try_create(...)  returns ninho::result<filter>, and throws only std::bad_alloc
 * Every call that can fail has both. Without exceptions (-fno-exceptions, or
 * -DNINHO_NO_EXCEPTIONS) only the second form is there.
 *
 * Keys are what converts to ninho::key: text, bytes, integers. Threads: as in C, many readers or
 * one writer; const member functions are readers. */
#ifndef NINHO_NINHO_HPP
#define NINHO_NINHO_HPP

#include <ninho/dict.hpp>
#include <ninho/filter.hpp>
#include <ninho/key.hpp>
#include <ninho/ninho.h>
#include <ninho/result.hpp>

namespace ninho
{

/* The version of the library that is running. */
inline const char *version() noexcept
{
    return ninho_version();
}

} // namespace ninho

#endif
