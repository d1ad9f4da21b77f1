#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes xlazy/names.hpp: using-declarations for xtensor's public names, for programs that say xlazy:: beside an untouched xt.

Needs libclang's Python binding (pip install libclang); run it again for another version of xtensor.
usage: gen_names.py FRONTEND_INCLUDE BYTECODE_INCLUDE > frontend/include/xlazy/names.hpp
"""
import re
import subprocess
import sys

import clang.cindex as clang

KINDS = {
    clang.CursorKind.CLASS_TEMPLATE, clang.CursorKind.CLASS_DECL, clang.CursorKind.STRUCT_DECL,
    clang.CursorKind.FUNCTION_TEMPLATE, clang.CursorKind.FUNCTION_DECL, clang.CursorKind.TYPE_ALIAS_DECL,
    clang.CursorKind.TYPE_ALIAS_TEMPLATE_DECL, clang.CursorKind.TYPEDEF_DECL, clang.CursorKind.VAR_DECL,
    clang.CursorKind.ENUM_DECL, clang.CursorKind.UNEXPOSED_DECL,
}
# Ours instead, or not for users.
OWN = {"xarray", "xtensor", "load_npy", "dump_npy", "missing"}
PRIVATE_NAMESPACES = {"detail", "extension", "math"}
NAME = re.compile(r"[A-Za-z_]\w*")  # operators are found by their arguments
HEADER = """// SPDX-License-Identifier: BSD-3-Clause
// Made by tools/gen_names.py from xtensor {version}: its public names in namespace xlazy, without the two that are ours.
// clang-format off
#pragma once

namespace xlazy {{

"""


def resource_folder():
    compiler = ["clang++", "-print-resource-dir"]
    return subprocess.run(compiler, capture_output=True, text=True, check=True).stdout.strip()


def is_member(cursor):
    """Definitions of members and specialisations outside of their class."""
    return cursor.semantic_parent is not None and cursor.semantic_parent.kind != clang.CursorKind.NAMESPACE


def collect(unit):
    names, namespaces = set(), set()
    for scope in unit.cursor.get_children():
        if scope.kind != clang.CursorKind.NAMESPACE or scope.spelling != "xt":
            continue
        for cursor in scope.get_children():
            file = cursor.location.file
            if file is None or "/xtensor/" not in file.name:
                continue
            if cursor.kind == clang.CursorKind.NAMESPACE:
                namespaces.add(cursor.spelling)
                continue
            name = cursor.spelling.split("<")[0]  # of operator<: "operator"
            if cursor.kind in KINDS and NAME.fullmatch(name) and name != "operator" and not is_member(cursor):
                names.add(name)
    return names - OWN, {n for n in namespaces if n and n not in PRIVATE_NAMESPACES and not n.endswith("_detail")}


def version():
    macros = ["XTENSOR_VERSION_MAJOR", "XTENSOR_VERSION_MINOR", "XTENSOR_VERSION_PATCH"]
    text = "#include <xtensor/xtensor_config.hpp>\n" + ".".join(macros) + "\n"
    command = ["clang++", "-E", "-P", "-x", "c++", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return done.stdout.strip().splitlines()[-1].replace(" ", "")


def main():
    include_folders = ["-I" + folder for folder in sys.argv[1:]]
    unit = clang.Index.create().parse(
        "all.cpp", args=["-std=c++20", "-x", "c++", "-resource-dir", resource_folder(), *include_folders],
        unsaved_files=[("all.cpp", "#include <xlazy/detail/all_headers.hpp>\n")])
    errors = [d for d in unit.diagnostics if d.severity >= clang.Diagnostic.Error]
    if errors:
        sys.exit("\n".join(str(e) for e in errors))
    names, namespaces = collect(unit)
    print(HEADER.format(version=version()), end="")
    line = ""
    for declaration in (f"using xt::{name};" for name in sorted(names)):
        if len(line) + len(declaration) > 118:
            print(line)
            line = ""
        line += " " * bool(line) + declaration
    print(line)
    print("using detail::overloads::dump_npy;\nusing detail::overloads::load_npy;\n")
    for namespace in sorted(namespaces):
        print(f"namespace {namespace} {{ using namespace xt::{namespace}; }}")
    print("\n}  // namespace xlazy")


if __name__ == "__main__":
    main()
