#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Lists xtensor's public functions, the denominator of docs/coverage.md: one `header name` a line, overloads once.

Public are the functions in namespace xt, and in the namespaces below it that users name, of all of xtensor's headers but
those of its own machinery. Needs libclang's Python binding (pip install libclang).
usage: list_functions.py [folder of xtensor's headers] > tests/coverage/functions.txt
"""
import subprocess
import sys
from pathlib import Path

import clang.cindex as clang

# Headers of xtensor's own machinery: storage, iterators, shapes and strides, the parts of slices and of assignments,
# exceptions, types; and those that need another library (JSON, SIMD).
MACHINERY = {
    "xassign", "xbuffer_adaptor", "xexception", "xexpression_holder", "xexpression_traits", "xfixed", "xfunction",
    "xfunctor_view", "xiterator", "xjson", "xlayout", "xmime", "xmultiindex_iterator", "xoptional_assembly_storage",
    "xscalar", "xshape", "xstorage", "xstrides", "xtensor_simd", "xutils", "xview_utils",
}
# Namespaces below xt that users name.
NAMESPACES = {"random", "blockwise", "print_options"}
# Functions of the other headers that only xtensor itself calls.
INTERNAL = {
    "blockwise_reducer", "copy_to_reduced", "get_print_options", "get_size", "get_slice_implementation", "is_chunked",
    "linear_begin", "linear_end", "make_lambda_xfunction", "make_xaccumulator_functor", "make_xreducer_functor",
    "make_xshared", "print_options::operator<<", "print_options::print_options", "step_size", "type_to_string",
    "xaxis_slice_begin", "xaxis_slice_end",
}
FUNCTIONS = {clang.CursorKind.FUNCTION_DECL, clang.CursorKind.FUNCTION_TEMPLATE}


def resource_folder():
    compiler = ["clang++", "-print-resource-dir"]
    return subprocess.run(compiler, capture_output=True, text=True, check=True).stdout.strip()


def functions(scope, names, folder):
    for cursor in scope.get_children():
        file = cursor.location.file
        if file is None or Path(file.name).parent != folder:
            continue
        if cursor.kind == clang.CursorKind.NAMESPACE:
            if cursor.spelling in NAMESPACES:
                yield from functions(cursor, [*names, cursor.spelling], folder)
        elif cursor.kind in FUNCTIONS and cursor.semantic_parent.kind == clang.CursorKind.NAMESPACE:
            header = Path(file.name).stem
            name = "::".join([*names, cursor.spelling])
            if header not in MACHINERY and name not in INTERNAL:
                yield header, name


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/include/xtensor")
    headers = sorted(h.name for h in folder.glob("*.hpp") if h.stem not in MACHINERY)
    source = "".join(f"#include <{folder.name}/{header}>\n" for header in headers)
    arguments = ["-std=c++17", "-x", "c++", "-resource-dir", resource_folder(), f"-I{folder.parent}"]
    unit = clang.Index.create().parse("all.cpp", args=arguments, unsaved_files=[("all.cpp", source)])
    errors = [str(d) for d in unit.diagnostics if d.severity >= clang.Diagnostic.Error]
    if errors:
        sys.exit("\n".join(errors))
    found = set()
    for scope in unit.cursor.get_children():
        if scope.kind == clang.CursorKind.NAMESPACE and scope.spelling == "xt":
            found.update(functions(scope, [], folder))
    print("# Made by list_functions.py: xtensor's public functions by header.")
    for header, name in sorted(found):
        print(header, name)


if __name__ == "__main__":
    main()
