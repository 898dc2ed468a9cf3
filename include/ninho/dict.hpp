/* SPDX-License-Identifier: MIT */
/* Dictionaries in C++; <ninho/dict.h> says what each call promises. */
#ifndef NINHO_DICT_HPP
#define NINHO_DICT_HPP

#include <ninho/dict.h>
#include <ninho/filter.hpp>

namespace ninho
{

/* ninho_dict_spec, filled in by name; the rest in fields(). */
class dict_spec
{
  public:
    explicit dict_spec(ninho_dict_kind kind = NINHO_PROBE) noexcept
    {
        fields_.kind = kind;
    }
    /* All keys have this size: 8 for integers. */
    dict_spec &key_size(std::uint32_t bytes) noexcept
    {
        return fields_.key_size = bytes, *this;
    }
    dict_spec &capacity(std::uint64_t keys) noexcept
    {
        return fields_.capacity = keys, *this;
    }
    dict_spec &max_capacity(std::uint64_t keys) noexcept
    {
        return fields_.max_capacity = keys, *this;
    }
    dict_spec &seed(std::uint64_t seed) noexcept { return fields_.seed = seed, *this; }
    dict_spec &secret(const std::array<std::uint8_t, NINHO_SECRET_BYTES> &secret) noexcept
    {
        secret_ = secret;
        fields_.hash = NINHO_HASH_SIPHASH;
        return *this;
    }
    ninho_dict_spec &fields() noexcept { return fields_; }
    ninho_dict_spec get() const noexcept
    {
        ninho_dict_spec made = fields_;
        if (secret_)
            made.secret = secret_->data();
        return made;
    }

  private:
    ninho_dict_spec fields_ = NINHO_DICT_SPEC_INIT;
    std::optional<std::array<std::uint8_t, NINHO_SECRET_BYTES>> secret_;
};

/* An exact set of keys, each with a 64-bit value. */
class dictionary
{
  public:
    dictionary() noexcept = default;
    /* Takes over a dictionary of the C interface. */
    explicit dictionary(ninho_dict *owned) noexcept : held_(owned) {}
    explicit operator bool() const noexcept { return held_ != nullptr; }
    const ninho_dict *get() const noexcept { return held_.get(); }
    ninho_dict *get() noexcept { return held_.get(); }
    ninho_dict *release() noexcept { return held_.release(); }

    static result<dictionary> try_create(const dict_spec &spec = dict_spec(),
                                         const ninho_alloc *alloc = nullptr)
    {
        const ninho_dict_spec wanted = spec.get();
        return made([&](ninho_dict **out, ninho_error *error) {
            return ninho_dict_create(&wanted, alloc, out, error);
        });
    }
    static result<dictionary> try_decode(const bytes &bytes,
                                         const open_options &options = {})
    {
        const ninho_open_options how = options.get();
        return made([&](ninho_dict **out, ninho_error *error) {
            return ninho_dict_decode(bytes.data(), bytes.size(), &how, out, error);
        });
    }

    bool contains(const key &key) const noexcept
    {
        return ninho_dict_get(get(), key.data(), key.size(), nullptr);
    }
    std::optional<std::uint64_t> find(const key &key) const noexcept
    {
        std::uint64_t value = 0;
        if (!ninho_dict_get(get(), key.data(), key.size(), &value))
            return std::nullopt;
        return value;
    }
    /* Whether each is there, and in values (keys.size() of them, or none) its value or 0. */
    template <class Keys>
    answers find_many(const Keys &keys, span<std::uint64_t> values = {}) const
    {
        answers out(keys.size());
        detail::key_block block;
        assert(values.empty() || values.size() == out.n_);
        for (std::size_t at = 0; at < out.n_; at += 64) {
            const std::size_t n = block.fill(keys, at);
            out.n_true_ += ninho_dict_get_many(
                get(), block.at(), block.sizes(), n,
                values.empty() ? nullptr : values.data() + at, &out.words_[at / 64]);
        }
        return out;
    }
    std::uint64_t size() const noexcept { return ninho_dict_count(get()); }
    ninho_dict_info info() const noexcept
    {
        ninho_dict_info info = NINHO_DICT_INFO_INIT;
        ninho_dict_info_of(get(), &info);
        return info;
    }
    /* Calls visit(bytes, value) for every key, in no particular order; visit must not change the
     * dictionary. */
    template <class Visit> void for_each(Visit visit) const
    {
        std::uint64_t cursor = 0, value = 0;
        const void *at = nullptr;
        std::size_t size = 0;
        while (ninho_dict_next(get(), &cursor, &at, &size, &value))
            visit(std::string_view(static_cast<const char *>(at), size), value);
    }

    /* Puts a key with its value. Whether it is new. */
    result<bool> try_put(const key &key, std::uint64_t value = 0)
    {
        bool is_new = false;
        if (const ninho_status status =
                ninho_dict_put(get(), key.data(), key.size(), value, &is_new))
            return failure(status);
        return is_new;
    }
    /* Takes a key out. Whether it was there. */
    bool remove(const key &key) noexcept
    {
        return ninho_dict_remove(get(), key.data(), key.size()) == NINHO_OK;
    }
    result<void> try_reserve(std::uint64_t n)
    {
        return detail::done(ninho_dict_reserve(get(), n));
    }
    result<void> try_clear() { return detail::done(ninho_dict_clear(get())); }
    result<void> try_verify() const
    {
        ninho_error error = detail::no_error();
        return detail::done(ninho_dict_verify(get(), &error), error);
    }
    result<std::vector<unsigned char>> try_encode() const
    {
        std::vector<unsigned char> out(ninho_dict_encoded_size(get()));
        if (const ninho_status status =
                ninho_dict_encode(get(), out.data(), out.size(), nullptr))
            return failure(status);
        return out;
    }
    /* A copy, by way of the encoding: one hashed under a secret needs it in the options. */
    result<dictionary> try_clone(const open_options &options = {}) const
    {
        auto encoded = try_encode();
        if (!encoded)
            return encoded.error();
        return try_decode(*encoded, options);
    }
#ifndef NINHO_NO_FILES
    static result<dictionary> try_open(const std::string &path,
                                       const open_options &options = {})
    {
        const ninho_open_options how = options.get();
        return made([&](ninho_dict **out, ninho_error *error) {
            return ninho_dict_open(path.c_str(), &how, out, error);
        });
    }
    result<void> try_save(const std::string &path) const
    {
        ninho_error error = detail::no_error();
        return detail::done(ninho_dict_save(get(), path.c_str(), &error), error);
    }
#endif

#ifndef NINHO_NO_EXCEPTIONS
    static dictionary create(const dict_spec &spec = dict_spec(),
                             const ninho_alloc *alloc = nullptr)
    {
        return try_create(spec, alloc).value();
    }
    static dictionary decode(const bytes &bytes, const open_options &options = {})
    {
        return try_decode(bytes, options).value();
    }
    bool put(const key &key, std::uint64_t value = 0)
    {
        return try_put(key, value).value();
    }
    void reserve(std::uint64_t n)
    {
        try_reserve(n).value();
    }
    void clear()
    {
        try_clear().value();
    }
    void verify() const
    {
        try_verify().value();
    }
    std::vector<unsigned char> encode() const
    {
        return try_encode().value();
    }
    dictionary clone(const open_options &options = {}) const
    {
        return try_clone(options).value();
    }
#ifndef NINHO_NO_FILES
    static dictionary open(const std::string &path, const open_options &options = {})
    {
        return try_open(path, options).value();
    }
    void save(const std::string &path) const
    {
        try_save(path).value();
    }
#endif
#endif

  private:
    template <class Make> static result<dictionary> made(Make make)
    {
        ninho_dict *out = nullptr;
        ninho_error error = detail::no_error();
        if (make(&out, &error))
            return failure(error);
        return dictionary(out);
    }
    struct free_it {
        void operator()(ninho_dict *dict) const noexcept { ninho_dict_free(dict); }
    };
    std::unique_ptr<ninho_dict, free_it> held_;
};

} // namespace ninho

#endif
