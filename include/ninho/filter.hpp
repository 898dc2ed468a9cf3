/* SPDX-License-Identifier: MIT */
/* Filters in C++; <ninho/filter.h> says what each call promises. */
#ifndef NINHO_FILTER_HPP
#define NINHO_FILTER_HPP

#include <ninho/filter.h>
#include <ninho/key.hpp>
#include <ninho/result.hpp>

#include <array>
#include <memory>
#include <string>

namespace ninho
{

/* ---- What to make, and how to open ------------------------------------------------- */

/* ninho_spec, filled in by name: ninho::spec(NINHO_CUCKOO).capacity(n).fpr(0.01). A field that
 * has no member function here is set in fields(). */
class spec
{
  public:
    explicit spec(ninho_kind kind) noexcept { fields_.kind = kind; }
    spec &capacity(std::uint64_t keys) noexcept { return fields_.capacity = keys, *this; }
    spec &max_capacity(std::uint64_t keys) noexcept
    {
        return fields_.max_capacity = keys, *this;
    }
    spec &fpr(double rate) noexcept { return fields_.fpr = rate, *this; }
    spec &hash(ninho_hash_id id) noexcept { return fields_.hash = id, *this; }
    spec &seed(std::uint64_t seed) noexcept { return fields_.seed = seed, *this; }
    spec &key_encoding(ninho_key_encoding e) noexcept
    {
        return fields_.key_encoding = e, *this;
    }
    spec &n_bits(std::uint64_t bits) noexcept { return fields_.n_bits = bits, *this; }
    spec &n_hashes(std::uint32_t k) noexcept { return fields_.n_hashes = k, *this; }
    spec &tag_bits(std::uint32_t bits) noexcept { return fields_.tag_bits = bits, *this; }
    spec &base(ninho_kind kind) noexcept { return fields_.base = kind, *this; }
    /* Hashes with siphash under this secret, which is copied. */
    spec &secret(const std::array<std::uint8_t, NINHO_SECRET_BYTES> &secret) noexcept
    {
        secret_ = secret;
        fields_.hash = NINHO_HASH_SIPHASH;
        return *this;
    }
    ninho_spec &fields() noexcept { return fields_; }
    /* For the C interface; its secret points into this object. */
    ninho_spec get() const noexcept
    {
        ninho_spec made = fields_;
        if (secret_)
            made.secret = secret_->data();
        return made;
    }

  private:
    ninho_spec fields_ = NINHO_SPEC_INIT;
    std::optional<std::array<std::uint8_t, NINHO_SECRET_BYTES>> secret_;
};

/* ninho_open_options, likewise. */
class open_options
{
  public:
    open_options &secret(
        const std::array<std::uint8_t, NINHO_SECRET_BYTES> &secret) noexcept
    {
        secret_ = secret;
        return *this;
    }
    open_options &allow_sealed(bool allow) noexcept
    {
        return fields_.allow_sealed = allow, *this;
    }
    ninho_open_options &fields() noexcept { return fields_; }
    ninho_open_options get() const noexcept
    {
        ninho_open_options made = fields_;
        if (secret_)
            made.secret = secret_->data();
        return made;
    }

  private:
    ninho_open_options fields_ = NINHO_OPEN_INIT;
    std::optional<std::array<std::uint8_t, NINHO_SECRET_BYTES>> secret_;
};

/* What a spec would make. */
inline result<ninho_plan> try_plan(const spec &spec)
{
    const ninho_spec wanted = spec.get();
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_error error = detail::no_error();
    if (ninho_filter_plan(&wanted, &plan, &error))
        return failure(error);
    return plan;
}

#ifndef NINHO_NO_EXCEPTIONS
inline ninho_plan plan(const spec &spec)
{
    return try_plan(spec).value();
}
#endif

/* ---- Filters ----------------------------------------------------------------------- */

class filter;

/* What can be asked of a filter and of a view; Self has get(). */
template <class Self> class filter_calls
{
  public:
    /* true: maybe in the set. false: certainly not. */
    bool has(const key &key) const noexcept
    {
        return ninho_filter_has_key(raw(), key.data(), key.size());
    }
    bool has_hash(std::uint64_t hash) const noexcept
    {
        return ninho_filter_has(raw(), hash);
    }

    /* Many at once: a vector, array or span of anything that converts to a key. */
    template <class Keys> answers has_many(const Keys &keys) const
    {
        answers out(keys.size());
        detail::key_block block;
        for (std::size_t at = 0; at < out.n_; at += 64) {
            const std::size_t n = block.fill(keys, at);
            out.n_true_ += ninho_filter_has_keys(raw(), block.at(), block.sizes(), n,
                                                 &out.words_[at / 64]);
        }
        return out;
    }
    answers has_hashes(span<const std::uint64_t> hashes) const
    {
        answers out(hashes.size());
        out.n_true_ =
            ninho_filter_has_many(raw(), hashes.data(), hashes.size(), out.words_.data());
        return out;
    }

    /* Keys that lie in one piece with their offsets, as Arrow has them. A column that is not in
     * order is NINHO_ERR_ARG. */
    result<answers> try_has_column(const ninho_column &column) const
    {
        answers out(column.n);
        if (const ninho_status status =
                ninho_filter_has_column(raw(), &column, out.words_.data(), &out.n_true_))
            return failure(status);
        return out;
    }

    std::uint64_t count() const noexcept { return ninho_filter_count(raw()); }
    std::uint64_t copies(std::uint64_t hash) const noexcept
    {
        return ninho_filter_copies(raw(), hash);
    }
    ninho_info info() const noexcept
    {
        ninho_info info = NINHO_INFO_INIT;
        ninho_filter_info(raw(), &info);
        return info;
    }
    std::optional<std::string> meta(const std::string &name) const
    {
        bool found = false;
        std::string value(ninho_filter_meta(raw(), name.c_str(), nullptr, 0, &found),
                          '\0');
        if (!found)
            return std::nullopt;
        ninho_filter_meta(raw(), name.c_str(), value.data(), value.size() + 1, nullptr);
        return value;
    }
    /* The attachment; lives as ninho_filter_attachment() says. */
    span<const unsigned char> attachment() const noexcept
    {
        std::size_t size = 0;
        const void *at = ninho_filter_attachment(raw(), &size);
        return {static_cast<const unsigned char *>(at), size};
    }

    result<void> try_verify() const
    {
        ninho_error error = detail::no_error();
        return detail::done(ninho_filter_verify(raw(), &error), error);
    }
    result<ninho_hasher> try_hasher() const
    {
        ninho_hasher hasher = ninho_hasher();
        if (const ninho_status status = ninho_filter_hasher(raw(), &hasher))
            return failure(status);
        return hasher;
    }
    result<std::vector<unsigned char>> try_encode() const
    {
        std::vector<unsigned char> out(ninho_filter_encoded_size(raw()));
        if (const ninho_status status =
                ninho_filter_encode(raw(), out.data(), out.size(), nullptr))
            return failure(status);
        return out;
    }
    /* A filter of its own with the same content. */
    result<filter> try_clone(const ninho_alloc *alloc = nullptr) const;
#ifndef NINHO_NO_FILES
    /* Replaces the file under `path` at once, or not at all. */
    result<void> try_save(const std::string &path) const
    {
        ninho_error error = detail::no_error();
        return detail::done(ninho_filter_save(raw(), path.c_str(), &error), error);
    }
#endif
#ifndef NINHO_NO_EXCEPTIONS
    void verify() const
    {
        try_verify().value();
    }
    ninho_hasher hasher() const
    {
        return try_hasher().value();
    }
    answers has_column(const ninho_column &column) const
    {
        return try_has_column(column).value();
    }
    std::vector<unsigned char> encode() const
    {
        return try_encode().value();
    }
    filter clone(const ninho_alloc *alloc = nullptr) const;
#ifndef NINHO_NO_FILES
    void save(const std::string &path) const
    {
        try_save(path).value();
    }
#endif
#endif

  private:
    const ninho_filter *raw() const noexcept
    {
        return static_cast<const Self *>(this)->get();
    }
};

class filter : public filter_calls<filter>
{
  public:
    filter() noexcept = default;
    /* Takes over a filter of the C interface. */
    explicit filter(ninho_filter *owned) noexcept : held_(owned) {}
    explicit operator bool() const noexcept { return held_ != nullptr; }
    const ninho_filter *get() const noexcept { return held_.get(); }
    ninho_filter *get() noexcept { return held_.get(); }
    ninho_filter *release() noexcept { return held_.release(); }

    /* An empty one. */
    static result<filter> try_create(const spec &spec, const ninho_alloc *alloc = nullptr)
    {
        const ninho_spec wanted = spec.get();
        return made([&](ninho_filter **out, ninho_error *error) {
            return ninho_filter_create(&wanted, alloc, out, error);
        });
    }
    /* One that holds these hashes: for kinds that are built at once, and for the others. */
    static result<filter> try_build(const spec &spec, span<const std::uint64_t> hashes,
                                    const ninho_alloc *alloc = nullptr)
    {
        const ninho_spec wanted = spec.get();
        return made([&](ninho_filter **out, ninho_error *error) {
            return ninho_filter_build(&wanted, hashes.data(), hashes.size(), alloc, out,
                                      error);
        });
    }
    static result<filter> try_decode(const bytes &bytes, const open_options &options = {})
    {
        const ninho_open_options how = options.get();
        return made([&](ninho_filter **out, ninho_error *error) {
            return ninho_filter_decode(bytes.data(), bytes.size(), &how, out, error);
        });
    }
#ifndef NINHO_NO_FILES
    static result<filter> try_open(const std::string &path,
                                   const open_options &options = {})
    {
        const ninho_open_options how = options.get();
        return made([&](ninho_filter **out, ninho_error *error) {
            return ninho_filter_open(path.c_str(), &how, out, error);
        });
    }
    static result<filter> try_map(const std::string &path,
                                  const open_options &options = {})
    {
        const ninho_open_options how = options.get();
        return made([&](ninho_filter **out, ninho_error *error) {
            return ninho_filter_map(path.c_str(), &how, out, error);
        });
    }
#endif

    result<void> try_add(const key &key)
    {
        return detail::done(ninho_filter_add_key(get(), key.data(), key.size()));
    }
    result<void> try_add_hash(std::uint64_t hash)
    {
        return detail::done(ninho_filter_add(get(), hash));
    }
    /* Stops at the first that fails; *n_added (may be NULL) is how many were added. */
    template <class Keys>
    result<void> try_add_many(const Keys &keys, std::size_t *n_added = nullptr)
    {
        detail::key_block block;
        std::size_t n_all = 0;
        ninho_status status = NINHO_OK;
        while (n_all < keys.size() && status == NINHO_OK) {
            const std::size_t n = block.fill(keys, n_all);
            std::size_t n_now = 0;
            status = ninho_filter_add_keys(get(), block.at(), block.sizes(), n, &n_now);
            n_all += n_now;
        }
        if (n_added)
            *n_added = n_all;
        return detail::done(status);
    }
    result<void> try_add_hashes(span<const std::uint64_t> hashes,
                                std::size_t *n_added = nullptr)
    {
        return detail::done(
            ninho_filter_add_many(get(), hashes.data(), hashes.size(), n_added));
    }
    result<void> try_add_column(const ninho_column &column,
                                std::size_t *n_added = nullptr)
    {
        return detail::done(ninho_filter_add_column(get(), &column, n_added));
    }
    /* NINHO_ERR_NOT_FOUND if it is certainly not there. Remove only what you added. */
    result<void> try_remove(const key &key)
    {
        return detail::done(ninho_filter_remove_key(get(), key.data(), key.size()));
    }
    result<void> try_remove_hash(std::uint64_t hash)
    {
        return detail::done(ninho_filter_remove(get(), hash));
    }
    result<void> try_clear()
    {
        return detail::done(ninho_filter_clear(get()));
    }
    /* Adds all of `source`, a filter or a view. */
    template <class Source> result<void> try_unite(const Source &source)
    {
        ninho_error error = detail::no_error();
        return detail::done(ninho_filter_union(get(), source.get(), &error), error);
    }
    result<void> try_set_meta(const std::string &name, const std::string &value)
    {
        return detail::done(ninho_filter_set_meta(get(), name.c_str(), value.c_str()));
    }
    result<void> try_set_attachment(const bytes &bytes)
    {
        return detail::done(
            ninho_filter_set_attachment(get(), bytes.data(), bytes.size()));
    }

#ifndef NINHO_NO_EXCEPTIONS
    static filter create(const spec &spec, const ninho_alloc *alloc = nullptr)
    {
        return try_create(spec, alloc).value();
    }
    static filter build(const spec &spec, span<const std::uint64_t> hashes,
                        const ninho_alloc *alloc = nullptr)
    {
        return try_build(spec, hashes, alloc).value();
    }
    static filter decode(const bytes &bytes, const open_options &options = {})
    {
        return try_decode(bytes, options).value();
    }
#ifndef NINHO_NO_FILES
    static filter open(const std::string &path, const open_options &options = {})
    {
        return try_open(path, options).value();
    }
    static filter map(const std::string &path, const open_options &options = {})
    {
        return try_map(path, options).value();
    }
#endif
    void add(const key &key)
    {
        try_add(key).value();
    }
    void add_hash(std::uint64_t hash)
    {
        try_add_hash(hash).value();
    }
    template <class Keys> void add_many(const Keys &keys)
    {
        try_add_many(keys).value();
    }
    void add_hashes(span<const std::uint64_t> hashes)
    {
        try_add_hashes(hashes).value();
    }
    void add_column(const ninho_column &column)
    {
        try_add_column(column).value();
    }
    void remove(const key &key)
    {
        try_remove(key).value();
    }
    void remove_hash(std::uint64_t hash)
    {
        try_remove_hash(hash).value();
    }
    void clear()
    {
        try_clear().value();
    }
    template <class Source> void unite(const Source &source)
    {
        try_unite(source).value();
    }
    void set_meta(const std::string &name, const std::string &value)
    {
        try_set_meta(name, value).value();
    }
    void set_attachment(const bytes &bytes)
    {
        try_set_attachment(bytes).value();
    }
#endif

  private:
    template <class> friend class filter_calls;
    template <class Make> static result<filter> made(Make make)
    {
        ninho_filter *out = nullptr;
        ninho_error error = detail::no_error();
        if (make(&out, &error))
            return failure(error);
        return filter(out);
    }
    struct free_it {
        void operator()(ninho_filter *filter) const noexcept
        {
            ninho_filter_free(filter);
        }
    };
    std::unique_ptr<ninho_filter, free_it> held_;
};

template <class Self>
result<filter> filter_calls<Self>::try_clone(const ninho_alloc *alloc) const
{
    return filter::made([&](ninho_filter **out, ninho_error *error) {
        return ninho_filter_copy(raw(), alloc, out, error);
    });
}

#ifndef NINHO_NO_EXCEPTIONS
template <class Self> filter filter_calls<Self>::clone(const ninho_alloc *alloc) const
{
    return try_clone(alloc).value();
}
#endif

/* A filter's bytes, queried where they lie: they must stay there, unchanged, for as long as the view
 * is used. verify() reads their checksum; making a view does not. */
class view : public filter_calls<view>
{
  public:
    view() noexcept = default;
    explicit operator bool() const noexcept { return seen_ != nullptr; }
    const ninho_filter *get() const noexcept { return seen_; }

    static result<view> try_of(const bytes &bytes, const open_options &options = {})
    {
        const ninho_open_options how = options.get();
        ninho_error error = detail::no_error();
        view made;
        made.room_.reset(new ninho_view);
        if (ninho_filter_view(made.room_.get(), bytes.data(), bytes.size(), &how,
                              &made.seen_, &error))
            return failure(error);
        return made;
    }
#ifndef NINHO_NO_EXCEPTIONS
    static view of(const bytes &bytes, const open_options &options = {})
    {
        return try_of(bytes, options).value();
    }
#endif

  private:
    std::unique_ptr<ninho_view> room_; /* must not move */
    const ninho_filter *seen_ = nullptr;
};

} // namespace ninho

#endif
