// SPDX-License-Identifier: BSD-3-Clause
// What code kernels get: the loops of a few, whole, and what it must not depend on.
#include "backends/test_kernel.hpp"

#include "codegen/cpu_dialect.hpp"
#include "codegen/cpu_types.hpp"
#include "codegen/emitter.hpp"

#include <fmt/format.h>

namespace xlazy::test {
namespace {

/// (2 x + 1) y, from element `offset` on.
TestKernel polynomial(std::int64_t count, std::int64_t offset, double factor) {
    TestKernel kernel({count});
    const auto window = [&] { return kernel.view(kernel.base(DType::f64, count + offset), offset, {{count, 1}}); };
    const ValueId x = kernel.load(window());
    const ValueId product = kernel.compute(Op::mul, DType::f64, {x, kernel.scalar(factor)});
    const ValueId sum = kernel.compute(Op::add, DType::f64, {product, kernel.scalar(1.0)});
    kernel.store(window(), kernel.compute(Op::mul, DType::f64, {sum, kernel.load(window())}));
    return kernel;
}

std::string text_of(const TestKernel& kernel, be::Isa isa, std::vector<be::AccessForm> forms) {
    const auto source = be::emit({&kernel.kernel, std::move(forms)}, be::CpuDialect(isa));
    return source ? source->text : "";
}

std::string loops_of(const std::string& text) { return text.substr(text.find("XLAZY_EXPORT void xlazy_kernel")); }

TEST(Codegen, LengthsOffsetsAndScalarsAreNotInTheText) {
    const std::vector<be::AccessForm> forms(3);
    EXPECT_EQ(text_of(polynomial(1000, 0, 2), be::Isa::avx2, forms),
              text_of(polynomial(37, 5, -1), be::Isa::avx2, forms));
}

TEST(Codegen, TheLoopsOfAMap) {
    EXPECT_EQ(loops_of(text_of(polynomial(1000, 0, 2), be::Isa::avx2,
                               {{be::Layout::Uniform}, {be::Layout::Strided}, {be::Layout::Dense}})),
              R"(XLAZY_EXPORT void xlazy_kernel(const struct xlazy_arguments *g) {
  const v_f64 t1 = uniform_f64(g->scalars[0]);
  const v_f64 t3 = uniform_f64(g->scalars[1]);
  for (long row = 0; row < g->rows; ++row) {
    char *const p0 = g->pointers[0] + row * g->rows_step[0];
    char *const p1 = g->pointers[1] + row * g->rows_step[1];
    char *const p2 = g->pointers[2] + row * g->rows_step[2];
    const long s1 = g->step[1];
    const v_f64 t0 = uniform_f64(p0);
    const v_f64 t2 = mul_f64(t0, t1);
    const v_f64 t4 = add_f64(t2, t3);
    const long n = g->columns, position = g->position + row * n, head = n < 16 || (unsigned long)p2 % 8 ? 0 : (long)(-(unsigned long)p2 % 32 / 8);
    long i = 0, k = head;
    for (;;) {
      if (k > 0) {
        const v_f64 t5 = strided_part_f64(p1 + i * s1, s1, k);
        const v_f64 t6 = mul_f64(t4, t5);
        store_part_f64(p2 + i * 8, k, t6);
        i += k;
      }
      for (; n - i >= 4; i += 4) {
        const v_f64 t5 = strided_f64(p1 + i * s1, s1);
        const v_f64 t6 = mul_f64(t4, t5);
        store_f64(p2 + i * 8, t6);
      }
      k = n - i;
      if (k == 0) break;
    }
    (void)position;
  }
}
)");
}

TEST(Codegen, OperandsAreAskedForAheadWhereTheResultGoesPastTheCaches) {
    const auto asked = [](bool streamed) {
        std::vector<be::AccessForm> forms(3);
        forms[2].streamed = streamed;
        const std::string loops = loops_of(text_of(polynomial(1000, 0, 2), be::Isa::avx2, forms));
        return loops.find("__builtin_prefetch(p0 + i * 8 + 2048)") != loops.npos &&
               loops.find("__builtin_prefetch(p1 + i * 8 + 2048)") != loops.npos;
    };
    EXPECT_TRUE(asked(true));
    EXPECT_FALSE(asked(false));
}

TEST(Codegen, EveryOpHasText) {
    for (std::size_t i = 0; i < bc::kOpCount; ++i) {
        const auto op = static_cast<Op>(i);
        for (const DType type : enabled_types()) {
            if (bc::info(op).kind != bc::OpKind::Map || op == Op::cast || op == Op::in_range || !bc::accepts(op, type))
                continue;
            TestKernel kernel({100});
            const ValueId x = kernel.load(kernel.dense(kernel.base(type, 100), {100}));
            const ValueId mask = kernel.load(kernel.dense(kernel.base(DType::boolean, 100), {100}));
            const std::initializer_list<ValueId> operands[] = {{}, {x}, {x, x}, {op == Op::select ? mask : x, x, x}};
            const ValueId value = kernel.compute(op, type, operands[bc::info(op).arity]);
            kernel.store(kernel.dense(kernel.base(bc::result_of(op, type), 100), {100}), value);
            for (const be::Isa isa : {be::Isa::baseline, be::Isa::avx2, be::Isa::avx512})
                EXPECT_NE(text_of(kernel, isa, std::vector<be::AccessForm>(3)), "")
                    << bc::name_of(op) << " " << bc::name_of(type);
        }
    }
}

// An op of a type is a function NAME_TYPE; `any` of booleans once met a helper of that name.
TEST(Codegen, NoHelperHasTheNameOfAnOp) {
    for (const be::Isa isa : {be::Isa::baseline, be::Isa::avx2, be::Isa::avx512}) {
        const std::vector<DType> types = enabled_types();
        const std::string helpers = be::cpu_definitions(be::cpu_lanes(isa, types, 64), types);
        EXPECT_NE(helpers.find(" any_lane("), std::string::npos);
        for (std::size_t i = 0; i < bc::kOpCount; ++i) {
            for (const DType type : types) {
                const std::string name = fmt::format(" {}_{}(", bc::name_of(static_cast<Op>(i)), bc::name_of(type));
                EXPECT_EQ(helpers.find(name), std::string::npos) << name;
            }
        }
    }
}

}  // namespace
}  // namespace xlazy::test
