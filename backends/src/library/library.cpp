// SPDX-License-Identifier: BSD-3-Clause
#include "library/library.hpp"

#include "xlazy/backends/traps.hpp"

namespace xlazy::be {
namespace {

/// Calls f(dense position, offset in elements) for every element in row-major order.
template <class F>
void for_each_element(const std::vector<bc::Dim>& dims, F&& f) {
    std::int64_t count = 1;
    for (const bc::Dim& dim : dims) count *= dim.extent;
    std::vector<std::int64_t> index(dims.size(), 0);
    std::int64_t offset = 0;
    for (std::int64_t position = 0; position < count; ++position) {
        f(position, offset);
        for (std::size_t axis = dims.size(); axis-- > 0;) {
            offset += dims[axis].stride;
            if (++index[axis] < dims[axis].extent) break;
            offset -= dims[axis].stride * dims[axis].extent;
            index[axis] = 0;
        }
    }
}

template <std::size_t Size>
void copy_elements(std::byte* dense, std::byte* strided, const std::vector<bc::Dim>& dims, bool gathers) {
    for_each_element(dims, [&](std::int64_t position, std::int64_t offset) {
        std::byte* const at = strided + offset * static_cast<std::int64_t>(Size);
        std::byte* const place = dense + position * static_cast<std::int64_t>(Size);
        std::memcpy(gathers ? place : at, gathers ? at : place, Size);
    });
}

void copy_window(std::byte* dense, const ArrayWindow& window, bool gathers) {
    const std::size_t size = bc::size_of(window.type);
    if (window.is_dense()) {
        const std::size_t bytes = static_cast<std::size_t>(window.count()) * size;
        if (bytes != 0) std::memcpy(gathers ? dense : window.start, gathers ? window.start : dense, bytes);
        return;
    }
    switch (size) {
        case 1: return copy_elements<1>(dense, window.start, window.dims, gathers);
        case 2: return copy_elements<2>(dense, window.start, window.dims, gathers);
        case 4: return copy_elements<4>(dense, window.start, window.dims, gathers);
        case 8: return copy_elements<8>(dense, window.start, window.dims, gathers);
        default: return copy_elements<16>(dense, window.start, window.dims, gathers);
    }
}

ArrayWindow window_of(const bc::Kernel& kernel, const bc::MicroOp& op, const Bindings& bindings) {
    const bc::View& view = bindings.program->views[op.index];
    const auto dims = bindings.program->dims_of(view);
    const bc::DType type = bindings.program->bases[view.base].type;
    std::byte* const memory = bindings.memory_of(kernel, op);
    const auto offset = view.offset * static_cast<std::int64_t>(bc::size_of(type));
    return {memory == nullptr ? nullptr : memory + offset, type, {dims.begin(), dims.end()}};
}

bool run(const LibraryCall& call) {
    switch (call.op.op) {
        case bc::Op::matmul: return multiply_matrices(call);
        case bc::Op::solve:
        case bc::Op::inverse:
        case bc::Op::determinant:
        case bc::Op::cholesky:
        case bc::Op::qr: return factorise(call);
        case bc::Op::svd:
        case bc::Op::eig:
        case bc::Op::eigh:
        case bc::Op::lstsq: return decompose(call);
        default: return search_and_sort(call);
    }
}

}  // namespace

bool ArrayWindow::is_dense() const noexcept {
    std::int64_t step = 1;
    for (std::size_t axis = dims.size(); axis-- > 0;) {
        if (dims[axis].extent != 1 && dims[axis].stride != step) return false;
        step *= dims[axis].extent;
    }
    return true;
}

void gather(const ArrayWindow& from, std::byte* dense) { copy_window(dense, from, true); }
void scatter(const std::byte* dense, const ArrayWindow& to) { copy_window(const_cast<std::byte*>(dense), to, false); }

void run_library_call(const bc::Kernel& kernel, const Bindings& bindings, int threads, Traps& traps) {
    const bc::MicroOp& op = kernel.ops.back();
    LibraryCall call{op, {}, {}, window_of(kernel, op, bindings), threads};
    call.scalars.resize(3);
    for (unsigned i = 0; i < bc::info(op.op).arity; ++i) {
        const bc::MicroOp& load = kernel.ops[op.in[i]];
        if (load.kind == bc::MicroOp::Kind::LoadView) {
            call.in.push_back(window_of(kernel, load, bindings));
            continue;
        }
        call.scalars[i] = bc::form_of(bindings.program->scalars[load.index], load.form);
        call.in.push_back({reinterpret_cast<std::byte*>(call.scalars[i].bits), load.type, {}});
    }
    if (run(call)) return;
    const std::size_t bytes = static_cast<std::size_t>(call.out.count()) * bc::size_of(call.out.type);
    scatter(std::vector<std::byte>(bytes).data(), call.out);
    add_trap(traps, {op.instruction, 0, {}});
}

}  // namespace xlazy::be
