/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: run_saved FILE     runs a saved function on zeros and prints the first element of each result */
#include <stdio.h>
#include <stdlib.h>
#include <xlazy/run.h>

static void check(xlazy_status status) {
    if (status == XLAZY_OK) return;
    fprintf(stderr, "%s\n", xlazy_error());
    exit(1);
}

int main(int argc, char** argv) {
    xlazy_function* f;
    xlazy_signature s;
    xlazy_input in[8] = {{0}};
    xlazy_number numbers[8] = {{0}};
    xlazy_output out[8] = {{0}};
    const double zero = 0;
    size_t i;

    check(xlazy_load(argc > 1 ? argv[1] : "step.xlz", 0, &f));
    if (xlazy_input_count(f) > 8 || xlazy_number_count(f) > 8 || xlazy_output_count(f) > 8) return 1;
    for (i = 0; i < xlazy_input_count(f); ++i) {
        check(xlazy_input_signature(f, i, &s));
        in[i] = (xlazy_input){calloc(1, s.bytes), s.type, s.rank, s.extents};
    }
    for (i = 0; i < xlazy_number_count(f); ++i) numbers[i] = (xlazy_number){&zero, XLAZY_F64};
    for (i = 0; i < xlazy_output_count(f); ++i) {
        check(xlazy_output_signature(f, i, &s));
        out[i] = (xlazy_output){calloc(1, s.bytes), s.type, s.rank, s.extents};
    }
    check(xlazy_run(f, in, xlazy_input_count(f), numbers, xlazy_number_count(f), out, xlazy_output_count(f)));
    for (i = 0; i < xlazy_output_count(f); ++i) {
        if (out[i].type == XLAZY_F64) printf("%g\n", *(const double*)out[i].data);
        free(out[i].data);
    }
    for (i = 0; i < xlazy_input_count(f); ++i) free((void*)in[i].data);
    xlazy_free(f);
    return 0;
}
