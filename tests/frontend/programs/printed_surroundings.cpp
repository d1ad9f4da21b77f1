// SPDX-License-Identifier: BSD-3-Clause
// Random numbers of an engine, files, vectorised functions, threads, layouts; printed.
#include "printed.hpp"

#include <filesystem>
#include <random>
#include <sstream>
#include <thread>
#include <unistd.h>

#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xcsv.hpp>
#include <xtensor/xfixed.hpp>
#include <xtensor/xio.hpp>
#include <xtensor/xjson.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnpy.hpp>
#include <xtensor/xoptional_assembly.hpp>
#include <xtensor/xrandom.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xvectorize.hpp>
#include <xtensor/xview.hpp>

namespace {

std::string file(const char* name) {
    return (std::filesystem::temp_directory_path() / (std::to_string(getpid()) + name)).string();
}
static xt::xarray<double> global = xt::arange<double>(4.) * 2.;
static const xt::xtensor<double, 2> table = {{1, 2}, {3, 4}};

thread_local xt::xarray<double> local = xt::ones<double>({2});
double fn(double a, double b) { return a * 10 + b; }
xt::xtensor<double, 1> draws() {
    std::mt19937 engine(7);
    xt::xtensor<double, 1> r = xt::random::rand<double>({3}, 0., 1., engine);
    return r;
}

}  // namespace

PRINTED(files_random_threads) {
    global = xt::arange<double>(4.) * 2.;
    std::mt19937 e(42);
    xt::xarray<double> n = xt::random::randn<double>({2, 2}, 0., 1., e);
    out("n", n);
    out("d", draws());
    xt::xarray<int> ri = xt::random::randint<int>({3}, 0, 100, e);
    out("ri", ri);
    xt::xarray<double> sh = xt::arange<double>(6.);
    xt::random::shuffle(sh, e);
    out("sh", sh);
    auto perm = xt::random::permutation(5, e);
    out("perm", perm);
    out("ch", xt::random::choice(sh, 3, true, e));
    xt::random::seed(3);
    auto rr = xt::random::rand<double>({2, 3});
    xt::xarray<double> r1 = rr;
    out("range", xt::all(r1 >= 0.));
    std::uniform_real_distribution<double> dist(0, 1);
    xt::xarray<double> g = xt::zeros<double>({3});
    std::generate(g.begin(), g.end(), [&] { return dist(e); });
    out("g", g);
    xt::xarray<double> a = {{1.5, 2}, {3, 4}};
    xt::xtensor<int, 1> ti = {1, 2, 3};
    xt::dump_npy(file("t.npy"), a * 2.);
    auto l = xt::load_npy<double>(file("t.npy"));
    out("l", l);
    xt::xtensor<double, 2> lt = xt::load_npy<double>(file("t.npy"));
    out("lt", lt);
    xt::dump_npy(file("u.npy"), ti);
    out("li", xt::load_npy<int>(file("u.npy")) + 1);
    try {
        xt::load_npy<double>("/nonexistent.npy");
    } catch (const std::exception&) {
        out("throws", 1);
    }
    try {
        xt::load_npy<float>(file("t.npy"));
    } catch (const std::exception&) {
        out("type throws", 1);
    }
    std::ostringstream os;
    xt::dump_csv(os, a);
    out("csv", os.str());
    std::istringstream is("1,2\n3,4\n");
    auto c = xt::load_csv<double>(is);
    out("c", c * 2.);
    nlohmann::json j = a;
    out("j", j.dump());
    xt::xarray<double> fj;
    xt::from_json(j, fj);
    out("fj", fj);
    nlohmann::json je = a + 1.;
    out("je", je.dump());
    auto vf = xt::vectorize(fn);
    xt::xarray<double> vr = vf(a, 3.);
    out("vr", vr);
    auto vl = xt::vectorize([](double x) { return x > 2 ? x : -x; });
    out("vl", vl(a * 2.));
    out("lam", xt::make_lambda_xfunction([](auto x, auto y) { return x * y + 1; }, a, a));
    std::thread th([&] {
        local = local + 1.;
        out("sum", xt::sum(local)());
        xt::xarray<double> t = global + 1.;
        out("t", t(2));
    });
    th.join();
    out("loc", local);
    std::vector<std::thread> ts;
    std::vector<double> sums(4);
    for (int i = 0; i < 4; ++i)
        ts.emplace_back([&, i] {
            xt::xarray<double> x = xt::ones<double>({100}) * double(i);
            for (int k = 0; k < 10; ++k) x = x + 1.;
            sums[i] = xt::sum(x)();
        });
    for (auto& t : ts) t.join();
    out("sums", sums[3] + sums[0]);
    xt::xarray_optional<double> o = {{1., xtl::missing<double>()}, {3., 4.}};
    out("o", o + a);
    out("hv", xt::sum(xt::cast<int>(xt::has_value(o)))());
    global += 1.;
    out("tab", table + global(0));
    xt::xarray<double, xt::layout_type::column_major> cm = a;
    out("cm", cm + a);
    out("cmd", cm.data()[1]);
    xt::xtensor<double, 2, xt::layout_type::dynamic> dy(std::array<std::size_t, 2>{2, 2},
                                                        xt::layout_type::column_major);
    dy = a;
    out("dy", dy);
    xt::xarray<double> fr = cm;
    out("fr", fr.data()[1]);
    xt::xtensor_fixed<double, xt::xshape<2>> f2 = {1, 2};
    f2 = f2 * 2. + xt::view(a, 0);
    out("f2", f2);
    a = xt::view(a, xt::all(), 0);
    out("a", a);
    out.stream() << std::setprecision(3) << xt::sum(a) << "\n";
    try {
        a.at(9) = 1;
    } catch (const std::exception& x) {
        out("caught", 1);
    }
    std::filesystem::remove(file("t.npy"));
    std::filesystem::remove(file("u.npy"));
}
