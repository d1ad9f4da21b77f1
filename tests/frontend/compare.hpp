// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Makes a GoogleTest of every program of programs/. Before RUN_ALL_TESTS().
void register_comparisons();
