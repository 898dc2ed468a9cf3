/* SPDX-License-Identifier: MIT */
/* Keys, bytes and batches in C++. */
#ifndef NINHO_KEY_HPP
#define NINHO_KEY_HPP

#include <ninho/hash.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#if defined(__has_include) && __cplusplus >= 202002L
#if __has_include(<span>)
#include <span>
#endif
#endif

namespace ninho
{

#ifdef __cpp_lib_span
template <class T> using span = std::span<T>;
#else
/* As much of std::span as is needed here: n elements in a row, not owned. */
template <class T> class span
{
  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;

    constexpr span() noexcept = default;
    constexpr span(T *first, std::size_t n) noexcept : first_(first), n_(n) {}
    template <std::size_t N> constexpr span(T (&array)[N]) noexcept : first_(array), n_(N)
    {
    }
    template <class Range, class = std::enable_if_t<std::is_convertible_v<
                               decltype(std::declval<Range &>().data()), T *>>>
    constexpr span(Range &&range) noexcept : first_(range.data()), n_(range.size())
    {
    }
    constexpr T *data() const noexcept { return first_; }
    constexpr std::size_t size() const noexcept { return n_; }
    constexpr bool empty() const noexcept { return n_ == 0; }
    constexpr T *begin() const noexcept { return first_; }
    constexpr T *end() const noexcept { return first_ + n_; }
    constexpr T &operator[](std::size_t i) const noexcept { return first_[i]; }

  private:
    T *first_ = nullptr;
    std::size_t n_ = 0;
};
#endif

/* Bytes to be read: any range in memory of elements of one byte. Not owned. */
class bytes
{
  public:
    constexpr bytes(const void *data, std::size_t size) noexcept
        : data_(data), size_(size)
    {
    }
    template <class Range,
              class = std::enable_if_t<
                  sizeof(*std::declval<const Range &>().data()) == 1 &&
                  std::is_convertible_v<decltype(std::declval<const Range &>().size()),
                                        std::size_t>>>
    constexpr bytes(const Range &range) noexcept
        : data_(range.data()), size_(range.size())
    {
    }
    constexpr const void *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }

  private:
    const void *data_;
    std::size_t size_;
};

/* One key. Text is its bytes; an integer is 8 bytes, little-endian two's complement, which is
 * NINHO_KEY_INT64; anything else is given as bytes. Not owned, integers excepted. */
class key
{
  public:
    template <
        class Text,
        std::enable_if_t<std::is_convertible_v<const Text &, std::string_view>, int> = 0>
    key(const Text &text) noexcept
    {
        const std::string_view view = text;
        data_ = view.data();
        size_ = view.size();
    }
    template <
        class Integer,
        std::enable_if_t<
            std::is_integral_v<Integer> && !std::is_same_v<Integer, bool> &&
                !std::is_same_v<Integer, char> && !std::is_same_v<Integer, wchar_t> &&
                !std::is_same_v<Integer, char16_t> && !std::is_same_v<Integer, char32_t>,
            int> = 0>
    key(Integer value) noexcept : size_(sizeof number_)
    {
        auto rest = static_cast<std::uint64_t>(value);
        for (unsigned char &byte : number_) {
            byte = static_cast<unsigned char>(rest & 0xff);
            rest >>= 8;
        }
    }
    key(const bytes &given) noexcept : data_(given.data()), size_(given.size()) {}

    const void *data() const noexcept { return data_ ? data_ : number_; }
    std::size_t size() const noexcept { return size_; }

  private:
    const void *data_ = nullptr; /* NULL: the integer */
    std::size_t size_ = 0;
    unsigned char number_[8] = {0};
};

inline std::uint64_t hash(const ninho_hasher &hasher, const key &key) noexcept
{
    return ninho_hash_bytes(&hasher, key.data(), key.size());
}

/* The answers to a batch: one bit for each question. */
class answers
{
  public:
    answers() = default;
    explicit answers(std::size_t n) : words_((n + 63) / 64), n_(n) {}
    std::size_t size() const noexcept { return n_; }
    std::size_t count() const noexcept { return n_true_; } /* how many are true */
    bool operator[](std::size_t i) const noexcept { return words_[i / 64] >> i % 64 & 1; }
    span<const std::uint64_t> words() const noexcept
    {
        return {words_.data(), words_.size()};
    }

  private:
    friend class dictionary;
    template <class> friend class filter_calls;
    std::vector<std::uint64_t> words_;
    std::size_t n_ = 0;
    std::size_t n_true_ = 0;
};

namespace detail
{

/* Keys of a range, 64 at a time, as the C interface takes them. */
class key_block
{
  public:
    template <class Keys> std::size_t fill(const Keys &keys, std::size_t from)
    {
        std::size_t n = keys.size() - from < 64 ? keys.size() - from : 64;
        for (std::size_t i = 0; i < n; i++) {
            keys_[i] = key(*(keys.data() + from + i));
            at_[i] = keys_[i]->data();
            sizes_[i] = keys_[i]->size();
        }
        return n;
    }
    const void *const *at() const noexcept { return at_; }
    const std::size_t *sizes() const noexcept { return sizes_; }

  private:
    std::optional<key> keys_[64];
    const void *at_[64];
    std::size_t sizes_[64];
};

} // namespace detail

} // namespace ninho

#endif
