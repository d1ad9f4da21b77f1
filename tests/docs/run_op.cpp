// SPDX-License-Identifier: BSD-3-Clause
// Runs a batch of one op by the reference interpreter, built from whatever op table is first on the include path.
//
// usage: run_op BATCH VALUES...     the values of the first array, then of the second; prints those of the third
//
// It knows no op by name. What the interpreter would ask the fast back end for, the functions of the maths library and
// library calls, is not there.
#include "isa/kernel_table.hpp"
#include "library/library.hpp"
#include "xlazy/backends/backend.hpp"
#include "xlazy/bytecode/text.hpp"
#include "xlazy/bytecode/verify.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

namespace xlazy::be {

const KernelTable& kernels() noexcept { std::abort(); }
MapFn map_kernel(bc::Op, bc::DType, Form) noexcept { std::abort(); }
void run_library_call(const bc::Kernel&, const Bindings&, int, Traps&) { std::abort(); }

}  // namespace xlazy::be

namespace {

using namespace xlazy;

/// Load every operand, compute, store: what a pass would make of the instruction.
bc::Kernel kernel_of(const bc::Program& program) {
    const bc::Instruction& instruction = program.instructions.front();
    bc::Kernel kernel;
    kernel.domain = instruction.domain;
    bc::MicroOp compute;
    for (unsigned k = 0; k < bc::operand_count(instruction); ++k) {
        bc::MicroOp load;
        load.kind = bc::MicroOp::Kind::LoadView;
        load.type = load.result = instruction.type;
        load.index = instruction.in[k].index();
        compute.in[k] = static_cast<bc::ValueId>(kernel.ops.size());
        kernel.ops.push_back(load);
    }
    compute.op = instruction.op;
    compute.type = instruction.type;
    compute.result = instruction.result;
    bc::MicroOp store;
    store.kind = bc::MicroOp::Kind::StoreView;
    store.type = store.result = instruction.result;
    store.in[0] = static_cast<bc::ValueId>(kernel.ops.size());
    store.index = instruction.out.index();
    kernel.ops.push_back(compute);
    kernel.ops.push_back(store);
    return kernel;
}

}  // namespace

int main(int count, char** words) {
    std::ifstream file(words[1]);
    const bc::Program program = bc::parse(std::string(std::istreambuf_iterator<char>(file), {}));
    if (const std::string fault = bc::verify(program, bc::Strictness::Recorded); !fault.empty()) {
        std::cerr << fault << '\n';
        return 1;
    }
    std::vector<double> arrays[3];
    std::vector<void*> bases;
    int next = 2;
    for (std::size_t b = 0; b < 3; ++b) {
        arrays[b].resize(static_cast<std::size_t>(program.bases[b].size));
        for (double& element : arrays[b]) {
            if (b < 2 && next < count) element = std::atof(words[next++]);
        }
        bases.push_back(arrays[b].data());
    }
    bc::Plan plan;
    plan.kernels.push_back(kernel_of(program));
    be::Traps traps;
    be::make_interpreter()->run(plan.kernels.front(), {&program, &plan, bases, {}}, traps);
    for (const double element : arrays[2]) std::cout << element << ' ';
    std::cout << '\n' << bc::print(program, 0) << '\n';
}
