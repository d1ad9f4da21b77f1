// SPDX-License-Identifier: BSD-3-Clause
// Memory of others, code that is generic over containers and expressions; printed.
#include "printed.hpp"

#include <cstring>
#include <memory>

#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xbuffer_adaptor.hpp>
#include <xtensor/xexpression.hpp>
#include <xtensor/xexpression_traits.hpp>
#include <xtensor/xfixed.hpp>
#include <xtensor/xio.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xrandom.hpp>
#include <xtensor/xset_operation.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

namespace {
class Ramp;
}
namespace xt {
template <>
struct xiterable_inner_types<Ramp> {
    using inner_shape_type = std::array<std::size_t, 1>;
    using stepper = xindexed_stepper<Ramp, true>;
    using const_stepper = stepper;
};
template <>
struct xcontainer_inner_types<Ramp> {
    using reference = double;
    using const_reference = double;
    using size_type = std::size_t;
};
}  // namespace xt
namespace {

void scale(double* x, int n, double k) {
    for (int i = 0; i < n; ++i) x[i] *= k;
}
double total(const double* x, int n) {
    double s = 0;
    for (int i = 0; i < n; ++i) s += x[i];
    return s;
}
namespace lib {
template <class T, std::size_t N>
using tensor = xt::xtensor<T, N>;
template <class T>
using array = xt::xarray<T>;
using mat = tensor<double, 2>;
template <class E>
struct traits {
    using value_type = typename std::decay_t<E>::value_type;
    static constexpr std::size_t rank = xt::get_rank<std::decay_t<E>>::value;
};
template <class T, std::enable_if_t<xt::is_xexpression<std::decay_t<T>>::value, int> = 0>
auto sq(T&& t) {
    return t * t;
}
template <class T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>
T sq(T t) {
    return t * t;
}
template <class T, std::enable_if_t<xt::has_fixed_rank_t<T>::value, int> = 0>
int kind(const T&) {
    return 1;
}
template <class T, std::enable_if_t<!xt::has_fixed_rank_t<T>::value, int> = 0>
int kind(const T&) {
    return 2;
}
template <class E>
typename E::value_type total(const xt::xexpression<E>& x) {
    auto&& e = x.derived_cast();
    using V = typename E::value_type;
    V s = 0;
    for (auto v : e) s += v;
    return s;
}
template <class E>
auto dev(const xt::xexpression<E>& e) {
    auto ee = xt::eval(e.derived_cast());
    return ee - xt::mean(ee)();
}
template <class R = void, class E>
auto mean_axis(E&& e) {
    using T = std::decay_t<E>;
    using V = typename T::value_type;
    xt::xtensor<V, 1> r = xt::mean(e, {0});
    return r;
}
template <class T>
struct Field {
    using shape_type = typename T::shape_type;
    T data;
    Field(const shape_type& s) : data(s) { data.fill(1); }
    template <class... I>
    auto& operator()(I... i) {
        return data(i...);
    }
    template <class... I>
    const auto& operator()(I... i) const {
        return data(i...);
    }
    auto begin() { return data.begin(); }
    auto end() { return data.end(); }
    const shape_type& shape() const { return data.shape(); }
};
template <class E1, class E2>
auto dot(const E1& a, const E2& b) {
    return xt::sum(a * b)();
}
template <template <class> class A>
struct Holder {
    A<double> x;
};
struct Base {
    virtual ~Base() = default;
    virtual xt::xtensor<double, 1> eval(const xt::xtensor<double, 1>& x) const = 0;
};
struct Sq : Base {
    xt::xtensor<double, 1> eval(const xt::xtensor<double, 1>& x) const override { return x * x; }
};
void set(xt::xtensor<double, 2>& m, double v) { m.fill(v); }
void both(const xt::xtensor<double, 2>& i, xt::xtensor<double, 2>& o) { o = i * 2.; }
template <class D, class U>
void into(xt::xexpression<D>& d, const xt::xexpression<U>& u) {
    d.derived_cast() = u.derived_cast() + 1.;
}
}  // namespace lib
class Ramp : public xt::xexpression<Ramp>, public xt::xconst_iterable<Ramp> {
public:
    using self_type = Ramp;
    using inner_shape_type = std::array<std::size_t, 1>;
    using shape_type = inner_shape_type;
    using value_type = double;
    using reference = double;
    using const_reference = double;
    using pointer = double*;
    using const_pointer = const double*;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using stepper = xt::xindexed_stepper<Ramp, true>;
    using const_stepper = stepper;
    using bool_load_type = double;
    using expression_tag = xt::xtensor_expression_tag;
    static constexpr xt::layout_type static_layout = xt::layout_type::dynamic;
    static constexpr bool contiguous_layout = false;
    Ramp(std::size_t n) : m_shape{n} {}
    size_type size() const { return m_shape[0]; }
    size_type dimension() const { return 1; }
    const shape_type& shape() const { return m_shape; }
    size_type shape(size_type i) const { return m_shape[i]; }
    xt::layout_type layout() const { return static_layout; }
    bool is_contiguous() const { return false; }
    template <class... A>
    double operator()(A... a) const {
        return get(static_cast<std::size_t>(a)...);
    }
    template <class... A>
    double unchecked(A... a) const {
        return (*this)(a...);
    }
    double operator[](const xt::xindex& i) const { return double(i[0]) * 2; }
    double operator[](size_type i) const { return double(i) * 2; }
    template <class It>
    double element(It b, It) const {
        return double(*b) * 2;
    }
    template <class S>
    bool broadcast_shape(S& s, bool = false) const {
        return xt::broadcast_shape(m_shape, s);
    }
    template <class S>
    bool has_linear_assign(const S&) const {
        return false;
    }
    template <class S>
    stepper stepper_begin(const S& s) const {
        return stepper(this, s.size() - 1);
    }
    template <class S>
    stepper stepper_end(const S& s, xt::layout_type) const {
        return stepper(this, s.size() - 1, true);
    }

private:
    static double get(std::size_t i) { return double(i) * 2; }
    shape_type m_shape;
};

}  // namespace

PRINTED(memory_of_others) {
    xt::xarray<double> a = {{1, 2, 3}, {4, 5, 6}};
    a = a + 1.;
    scale(a.data(), int(a.size()), 2.);
    out("a", a);
    out("total", total((a).data(), 6));
    const auto& ca = a;
    out("ct", total(ca.data(), 6));
    out("off", total(xt::view(a, 1).data() + xt::view(a, 1).data_offset(), 3));
    double raw[6] = {1, 2, 3, 4, 5, 6};
    std::vector<std::size_t> shape = {2, 3};
    double* rw = raw;
    auto ad = xt::adapt(rw, 6, xt::no_ownership(), shape);
    ad *= 2.;
    out("raw", raw[5]);
    out("sum", xt::sum(ad)());
    xt::xarray<double> s = ad + a;
    out("s", s);
    ad = a * 3.;
    out("raw", raw[0]);
    ad += a;
    out("raw", raw[0]);
    ad = xt::zeros<double>({2, 3});
    out("raw0", raw[0]);
    std::array<std::size_t, 2> ash = {2, 3};
    double* rp = raw;
    auto ad2 = xt::adapt(rp, 6, xt::no_ownership(), ash);
    ad2 = a;
    out("raw", raw[3]);
    xt::noalias(ad2) = a - 1.;
    out("raw", raw[3]);
    auto ad3 = xt::adapt<xt::layout_type::column_major>(rw, 6, xt::no_ownership(), shape);
    out("cm", ad3);
    ad3 = a;
    out("raw1", raw[1]);
    double* owned = new double[4]{1, 2, 3, 4};
    std::vector<std::size_t> s4 = {4};
    auto ow = xt::adapt(owned, 4, xt::acquire_ownership(), s4);
    out("ow", ow * 2.);
    std::vector<double> vec = {1, 2, 3, 4, 5, 6};
    auto av = xt::adapt(vec, shape);
    out("av", av);
    av(0, 0) = 42;
    out("vec", vec[0]);
    xt::view(av, 1) = 0.;
    out("vec", vec[5]);
    auto a1 = xt::adapt(vec);
    out("a1", a1 + 1.);
    const std::vector<double> cvec = vec;
    auto cav = xt::adapt(cvec, shape);
    xt::xtensor<double, 2> ct = cav * a;
    out("ct", ct);
    std::array<double, 4> sa = {1, 2, 3, 4};
    auto aa = xt::adapt(sa, std::array<std::size_t, 2>{2, 2});
    out("aa", aa + 1.);
    aa = aa * 2.;
    out("sa", sa[3]);
    std::vector<std::size_t> strides = {1, 2};
    auto st = xt::adapt(rw, 6, xt::no_ownership(), shape, strides);
    out("st", st);
    st += 1.;
    out("raw", raw[0]);
    try {
        st = a * 1.;
        out("st", st);
    } catch (const std::exception& e) {
        out("err", e.what());
    }
    try {
        xt::noalias(st) = a * 2.;
        out("st", st);
    } catch (const std::exception& e) {
        out("err", e.what());
    }
    xt::xarray<double> c = xt::adapt(vec, shape);
    vec[0] = -7;
    out("c", c(0, 0));
    auto sp = std::make_shared<std::vector<double>>(6, 2.);
    auto ssp = xt::adapt_smart_ptr(sp->data(), shape, sp);
    out("ssp", ssp + a);
    a.storage()[0] = 17;
    out("a", a);
    std::memcpy(a.data(), vec.data(), 48);
    out("a", a);
    auto* d = a.data();
    a = a + 1.;
    out("a", a);
    (void)d;
    xt::xtensor<double, 1> flat = xt::zeros<double>({6});
    std::memcpy(&flat(0), raw, 48);
    out("flat", flat);
    flat += 1.;
    std::memcpy(raw, flat.data(), 48);
    out("raw", raw[2]);
    out("contig", a.is_contiguous());
    out("str", a.strides()[0]);
    out("lay", int(a.layout()));
    double* pp = &a(1, 0);
    *pp = 5;
    out("a", a);
    std::vector<xt::xtensor<double, 1>> rows;
    for (int i = 0; i < 2; ++i) rows.push_back(xt::row(a, i));
    out("rows", rows[1]);
    std::vector<float> fv(a.begin(), a.end());
    out("fv", fv[3]);
    std::vector<double> buffer(a.size());
    auto oa = xt::adapt(buffer, a.shape());
    oa = xt::sqrt(xt::abs(a));
    out("buffer", buffer[1]);
    std::vector<int> iv = {1, 2, 3};
    xt::xarray<double> mixed = xt::adapt(iv, {3}) * 0.5;
    out("mixed", mixed);
    xt::xtensor<int, 1> it = xt::adapt(iv, std::array<std::size_t, 1>{3});
    out("it", it);
    auto rs = xt::adapt(vec, std::vector<std::size_t>{3, 2});
    rs.reshape({6});
    out("rs", rs);
    rs.resize({3});
    out("vec", vec.size());
    unsigned char bytes[4] = {1, 2, 255, 4};
    unsigned char* bp = bytes;
    auto ub = xt::adapt(bp, 4, xt::no_ownership(), std::vector<std::size_t>{4});
    xt::xarray<double> img = ub / 255.;
    out("img", img);
    ub = xt::cast<unsigned char>(img * 100.);
    out("b", int(bytes[2]));
    out("swap", [&] {
        xt::xarray<double> x = {1, 2}, y = {3};
        std::swap(x, y);
        return x(0) + y(1);
    }());
}

PRINTED(generic_code) {
    lib::mat m = {{1, 2}, {3, 4}};
    lib::array<double> a = m;
    xt::xtensor_fixed<double, xt::xshape<2, 2>> f = {{1, 2}, {3, 4}};
    out("sq", lib::sq(m));
    out("sqd", lib::sq(3.));
    out("kind", lib::kind(m) * 100 + lib::kind(a) * 10 + lib::kind(f));
    out("rank", lib::traits<decltype(m)>::rank);
    out("dyn", lib::traits<decltype(a)>::rank == SIZE_MAX);
    out("total", lib::total(m * 2.));
    out("total", lib::total(a));
    out("total", lib::total(xt::view(m, 0)));
    out("ma", lib::mean_axis(m));
    lib::Field<lib::mat> fl({2, 3});
    fl(1, 2) = 5;
    for (auto& x : fl) x += 1;
    out("fl", fl.data);
    out("dot", lib::dot(m, f));
    lib::Holder<lib::array> h{a};
    out("h", h.x);
    std::unique_ptr<lib::Base> b = std::make_unique<lib::Sq>();
    out("virt", b->eval({1, 2, 3}));
    out("virt", b->eval(xt::arange<double>(3.) + 1.));
    out("virt2", b->eval(xt::view(m, 0)));
    lib::set(m, 3);
    out("m", m);
    lib::both(m, m);
    out("m", m);
    lib::into(a, m);
    out("a", a);
    Ramp r(3);
    xt::xtensor<double, 1> t = r;
    out("ramp", t);
    xt::xtensor<double, 1> u = t + 0.;
    out("u", u);
    xt::xarray<double> ra = r;
    out("ra", ra);
    xt::xtensor<double, 1> mix = t * 2. + r;
    out("mix", mix);
    auto lz = t + r;
    out("lz", lz);
    t += r;
    out("t", t);
    out("sumr", xt::sum(lz)());
    static_assert(std::is_same<xt::xtensor<double, 2>::value_type, double>::value, "");
    static_assert(xt::is_xexpression<xt::xarray<int>>::value, "");
    out("common", xt::sum(m + f)());
    using cv = xt::common_value_type_t<decltype(m), decltype(f)>;
    out("cv", sizeof(cv));
    xt::xarray<double>::shape_type shp = {2, 2};
    out("shp", shp.size());
    decltype(m)::inner_shape_type ish = m.shape();
    out("ish", ish[0]);
    auto sh2 = a.shape();
    out("sh2", sh2 == shp);
    out("eqsh", a.shape() == xt::eval(a + 1.).shape());
    std::size_t n = a.shape()[0], k = m.shape(1);
    out("nk", n + k);
    std::vector<std::size_t> vs(a.shape().begin(), a.shape().end());
    out("vs", vs.size());
    auto tmp = xt::temporary_type_t<decltype(m + m)>(m + m);
    out("tmp", tmp);
    typename decltype(m)::reference rf = m(0, 0);
    rf = 77;
    out("m", m);
    auto z = xt::xtensor<double, 2>(m.shape());
    z.fill(0);
    out("z", z);
    xt::xarray<double> z2(a.shape(), 2.);
    out("z2", z2);
    auto z3 = xt::xarray<double>::from_shape(m.shape());
    z3 = 1.;
    out("z3", z3);
    auto z4 = xt::zeros<double>(m.shape());
    out("z4", z4 + 1.);
    xt::xtensor<double, 2> z5 = xt::empty_like(m);
    z5.fill(0.5);
    out("z5", z5);
    auto rn = xt::random::rand<double>(m.shape());
    out("rn", xt::all(rn < 1.));
    bool isx = xt::is_xexpression<decltype(xt::view(m, 0))>::value;
    out("isx", isx);
    out("bool", xt::allclose(m, m));
    xt::xtensor<double, 1> ml = {1};
    ml = xt::xtensor<double, 1>{4, 5, 6};
    out("ml", ml);
    ml = {7, 8};
    out("ml", ml);
    a = {{1., 2.}};
    out("a", a);
}
