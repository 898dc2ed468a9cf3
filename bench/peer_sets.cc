/* SPDX-License-Identifier: MIT */
/* The peers that are written in C++: maps to 64-bit values, as ours are. All but libcuckoo are used
 * alike; strings are looked up without making a std::string of them, which each of these can do. */
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#ifdef HAVE_BOOST_FLAT_SET
#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#endif
#ifdef HAVE_ABSL
#include <absl/container/flat_hash_map.h>
#include <absl/strings/string_view.h>
#endif
#ifdef HAVE_LIBCUCKOO
#include <libcuckoo/cuckoohash_map.hh>
#endif

#include "sets.h"

namespace
{

/* cppcheck-suppress syntaxError ; it is told that all is C */
template <class Key> Key key_at(const set_keys &keys, std::size_t i)
{
    if constexpr (std::is_integral_v<Key>)
        return keys.numbers[i];
    else
        return Key(keys.strings[i], keys.string_sizes[i]);
}

/* ---- How one key is handled ---------------------------------------------------------------- */

template <class Set, class Key>
bool insert_key(Set &set, const Key &key, std::uint64_t value)
{
    if constexpr (requires { set.emplace(key, value).second; })
        return set.emplace(key, value).second;
    else /* libcuckoo */
        return set.insert(typename Set::key_type(key), value);
}

template <class Set, class Key> bool remove_key(Set &set, const Key &key)
{
    if constexpr (requires { set.erase(key) == 1; }) {
        return set.erase(key) == 1;
    } else { /* std::unordered_map takes no other type of key here before C++23 */
        const auto at = set.find(key);
        if (at == set.end())
            return false;
        set.erase(at);
        return true;
    }
}

/* ---- The functions of sets.h ----------------------------------------------------------------- */

/* A set type, and what its keys are looked up by. */
template <class Set, class Key> struct peer {
    static void *create(unsigned)
    {
        return new Set;
    }

    static void destroy(void *set)
    {
        delete static_cast<Set *>(set);
    }

    static void reserve(void *set, std::size_t n)
    {
        static_cast<Set *>(set)->reserve(n);
    }

    static std::size_t insert(void *to, const set_keys *keys)
    {
        Set &set = *static_cast<Set *>(to);
        std::size_t n_new = 0;

        for (std::size_t i = 0; i < keys->n; i++)
            n_new += insert_key(set, key_at<Key>(*keys, i), i);
        return n_new;
    }

    static std::size_t find_one(const void *in, const set_keys *keys)
    {
        const Set &set = *static_cast<const Set *>(in);
        std::size_t n_found = 0;

        for (std::size_t i = 0; i < keys->n; i++)
            n_found += set.contains(key_at<Key>(*keys, i));
        return n_found;
    }

    static std::size_t remove(void *from, const set_keys *keys)
    {
        Set &set = *static_cast<Set *>(from);
        std::size_t n_removed = 0;

        for (std::size_t i = 0; i < keys->n; i++)
            n_removed += remove_key(set, key_at<Key>(*keys, i));
        return n_removed;
    }

    static std::size_t count(const void *set)
    {
        return static_cast<const Set *>(set)->size();
    }

    static constexpr set_ops ops = {create,  destroy, reserve, insert, find_one,
                                    nullptr, remove,  count,   nullptr};
};

/* A hash of the library's own for strings, told that it also takes what is not a std::string. */
template <class Hash> struct for_views : Hash {
    using is_transparent = void;
    using is_avalanching = void; /* for boost, as it says of its own hash of strings */
};

using std_hash = for_views<std::hash<std::string_view>>;
using equal = std::equal_to<>;

const set_type types[] = {
#ifdef HAVE_BOOST_FLAT_SET
    {"boost::unordered_flat_map",
     0,
     {&peer<boost::unordered_flat_map<std::uint64_t, std::uint64_t>, std::uint64_t>::ops,
      &peer<boost::unordered_flat_map<std::string, std::uint64_t,
                                      for_views<boost::hash<std::string_view>>, equal>,
            std::string_view>::ops}},
#endif
#ifdef HAVE_ABSL
    {"absl::flat_hash_map",
     0,
     {&peer<absl::flat_hash_map<std::uint64_t, std::uint64_t>, std::uint64_t>::ops,
      &peer<absl::flat_hash_map<std::string, std::uint64_t>, absl::string_view>::ops}},
#endif
#ifdef HAVE_LIBCUCKOO
    {"libcuckoo",
     0,
     {&peer<libcuckoo::cuckoohash_map<std::uint64_t, std::uint64_t>, std::uint64_t>::ops,
      &peer<libcuckoo::cuckoohash_map<std::string, std::uint64_t, std_hash, equal>,
            std::string_view>::ops}},
#endif
    {"std::unordered_map",
     0,
     {&peer<std::unordered_map<std::uint64_t, std::uint64_t>, std::uint64_t>::ops,
      &peer<std::unordered_map<std::string, std::uint64_t, std_hash, equal>,
            std::string_view>::ops}},
};

} // namespace

const set_type *cxx_set_at(std::size_t index)
{
    return index < sizeof types / sizeof types[0] ? &types[index] : nullptr;
}
