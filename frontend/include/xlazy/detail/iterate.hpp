// SPDX-License-Identifier: BSD-3-Clause
// Iterators over views and expressions: while one is out, statements that touch the arrays below run at once.
#pragma once

#include "xlazy/detail/lowering.hpp"

#include <memory>
#include <vector>

#include <xtl/xiterator_base.hpp>

namespace xlazy::detail {

/// Adds the bases that `e` reads.
template <class E>
void collect_bases(const E& e, std::vector<rt::Base*>& bases) {
    if constexpr (viewed<E>::ok) {
        bases.push_back(base_of(e));
    } else if constexpr (requires { e.arguments(); }) {
        std::apply([&](const auto&... argument) { (collect_bases(argument, bases), ...); }, e.arguments());
    } else if constexpr (requires { e.expression(); }) {
        collect_bases(e.expression(), bases);
    }
}

using pin_set = std::shared_ptr<const std::vector<pin>>;

/// The pins of an iterator over `e`; none while xtensor works for us.
template <class E>
pin_set pins_of(const E& e, bool writable) {
    if (rt::InsideXtensor::active()) return nullptr;
    std::vector<rt::Base*> bases;
    collect_bases(e, bases);
    auto pins = std::make_shared<std::vector<pin>>();
    pins->reserve(bases.size());
    for (rt::Base* base : bases) pins->emplace_back(base, writable);
    return pins;
}

/// An iterator of xtensor's with pins.
template <class It>
class pinned_iterator
    : public xtl::xrandom_access_iterator_base<pinned_iterator<It>, typename std::iterator_traits<It>::value_type,
                                               typename std::iterator_traits<It>::difference_type,
                                               typename std::iterator_traits<It>::pointer,
                                               typename std::iterator_traits<It>::reference> {
public:
    using difference_type = typename std::iterator_traits<It>::difference_type;
    using reference = typename std::iterator_traits<It>::reference;
    using iterator_category = std::random_access_iterator_tag;

    pinned_iterator() = default;
    pinned_iterator(It it, pin_set pins) : it_(std::move(it)), pins_(std::move(pins)) {}

    pinned_iterator& operator++() { return ++it_, *this; }
    pinned_iterator& operator--() { return --it_, *this; }
    pinned_iterator& operator+=(difference_type n) { return it_ += n, *this; }
    pinned_iterator& operator-=(difference_type n) { return it_ -= n, *this; }
    difference_type operator-(const pinned_iterator& other) const { return it_ - other.it_; }
    reference operator*() const { return *it_; }
    auto operator->() const { return std::addressof(*it_); }

    friend bool operator==(const pinned_iterator& a, const pinned_iterator& b) { return a.it_ == b.it_; }
    friend bool operator<(const pinned_iterator& a, const pinned_iterator& b) { return a.it_ < b.it_; }

private:
    It it_;
    pin_set pins_;
};

/// Runs what is pending below `e`, then makes the iterator.
template <class E, class F>
auto iterator_over(const E& e, bool writable, here line, F&& make) {
    rt::LineScope scope(line);
    if (writable) {
        std::vector<rt::Base*> bases;
        collect_bases(e, bases);
        for (rt::Base* base : bases) rt::writable(base, rt::Reason::iterator, rt::LineScope::current());
    } else {
        rt::flush(rt::Reason::iterator, rt::LineScope::current());
    }
    pin_set pins = pins_of(e, writable);
    rt::InsideXtensor inside;
    auto it = make();
    rt::throw_held();
    return pinned_iterator<decltype(it)>(std::move(it), std::move(pins));
}

}  // namespace xlazy::detail
