/* SPDX-License-Identifier: MIT */
/* Failures in C++: thrown as ninho::error, or returned in a ninho::result. */
#ifndef NINHO_RESULT_HPP
#define NINHO_RESULT_HPP

#include <ninho/status.h>

#include <cassert>
#include <optional>
#include <utility>
#include <variant>

#if !defined(__cpp_exceptions) && !defined(NINHO_NO_EXCEPTIONS)
#define NINHO_NO_EXCEPTIONS
#endif
#ifndef NINHO_NO_EXCEPTIONS
#include <stdexcept>
#endif

namespace ninho
{

/* What went wrong: a status, the field it is about if it is about one, a sentence. */
class failure
{
  public:
    explicit failure(const ninho_error &details) noexcept : details_(details) {}
    explicit failure(ninho_status status) noexcept : details_(ninho_error())
    {
        details_.size_of_struct = sizeof details_;
        ninho_error_set(&details_, status, "%s", ninho_status_text(status));
    }

    ninho_status status() const noexcept { return details_.status; }
    ninho_field field() const noexcept { return details_.field; }
    int system_errno() const noexcept { return details_.system_errno; }
    const char *text() const noexcept { return details_.text; }
    const ninho_error &details() const noexcept { return details_; }

  private:
    ninho_error details_;
};

#ifndef NINHO_NO_EXCEPTIONS
class error : public std::runtime_error
{
  public:
    explicit error(const class failure &failure)
        : std::runtime_error(failure.text()), failure_(failure)
    {
    }
    ninho_status status() const noexcept { return failure_.status(); }
    ninho_field field() const noexcept { return failure_.field(); }
    const class failure &failure() const noexcept { return failure_; }

  private:
    class failure failure_;
};
#endif

/* A value, or why there is none. Dereferencing one without a value is a mistake of the program. */
template <class T> class [[nodiscard]] result
{
  public:
    result(T value) : held_(std::in_place_index<0>, std::move(value)) {}
    result(const failure &why) : held_(std::in_place_index<1>, why) {}

    bool has_value() const noexcept { return held_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }
    T &operator*() &noexcept { return *pointer(); }
    const T &operator*() const &noexcept { return *pointer(); }
    T &&operator*() &&noexcept { return std::move(*pointer()); }
    T *operator->() noexcept { return pointer(); }
    const T *operator->() const noexcept { return pointer(); }
    template <class U> T value_or(U &&other) &&
    {
        return has_value() ? std::move(*pointer())
                           : static_cast<T>(std::forward<U>(other));
    }
    const failure &error() const noexcept
    {
        assert(!has_value());
        return *std::get_if<1>(&held_);
    }
    ninho_status status() const noexcept
    {
        return has_value() ? NINHO_OK : error().status();
    }
#ifndef NINHO_NO_EXCEPTIONS
    T value() &&
    {
        if (!has_value())
            throw ninho::error(error());
        return std::move(*pointer());
    }
#endif

  private:
    T *pointer() noexcept
    {
        assert(has_value());
        return std::get_if<0>(&held_);
    }
    const T *pointer() const noexcept
    {
        assert(has_value());
        return std::get_if<0>(&held_);
    }
    std::variant<T, failure> held_;
};

template <> class [[nodiscard]] result<void>
{
  public:
    result() noexcept = default;
    result(const failure &why) noexcept : why_(why) {}

    bool has_value() const noexcept { return !why_; }
    explicit operator bool() const noexcept { return !why_; }
    const failure &error() const noexcept
    {
        assert(why_);
        return *why_;
    }
    ninho_status status() const noexcept { return why_ ? why_->status() : NINHO_OK; }
#ifndef NINHO_NO_EXCEPTIONS
    void value() const
    {
        if (why_)
            throw ninho::error(*why_);
    }
#endif

  private:
    std::optional<failure> why_;
};

namespace detail
{

inline ninho_error no_error() noexcept
{
    ninho_error error = ninho_error();
    error.size_of_struct = sizeof error;
    return error;
}

inline result<void> done(ninho_status status)
{
    return status == NINHO_OK ? result<void>() : result<void>(failure(status));
}

inline result<void> done(ninho_status status, const ninho_error &error)
{
    return status == NINHO_OK ? result<void>() : result<void>(failure(error));
}

} // namespace detail

} // namespace ninho

#endif
