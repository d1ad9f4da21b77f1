/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: consumer FILE MODE     a program in C that runs the function of tests/saved/sample.hpp
 * MODE: run, signature, wrong or threads */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <xlazy/run.h>

static const int64_t kShape[2] = {2, 3};

static int say(const char* what, xlazy_status status) {
    printf("%s: %d %s\n", what, (int)status, status == XLAZY_OK ? "" : xlazy_error());
    return status == XLAZY_OK ? 0 : 1;
}

static xlazy_status step(const xlazy_function* f, double k, int n, double* y, int64_t* calls) {
    const double x[6] = {1, 2, 3, 4, 5, 6};
    const xlazy_input in = {x, XLAZY_F64, 2, kShape};
    const xlazy_number numbers[2] = {{&k, XLAZY_F64}, {&n, XLAZY_I32}};
    const xlazy_output out[2] = {{y, XLAZY_F64, 2, kShape}, {calls, XLAZY_I64, 0, NULL}};
    return xlazy_run(f, &in, 1, numbers, 2, out, 2);
}

static int run(const xlazy_function* f) {
    double y[6];
    int64_t calls = 0;
    int i, round;
    for (round = 0; round < 2; ++round) {
        if (say("run", step(f, 2.5, 3, y, &calls))) return 1;
        for (i = 0; i < 6; ++i) printf("%.17g\n", y[i]);
        printf("calls %ld\n", (long)calls);
    }
    return 0;
}

static int signature(const xlazy_function* f) {
    xlazy_signature s;
    printf("%s %d %d %d\n", xlazy_name(f), (int)xlazy_input_count(f), (int)xlazy_number_count(f), (int)xlazy_output_count(f));
    if (xlazy_input_signature(f, 0, &s) != XLAZY_OK) return 1;
    printf("%s %d %d (%d,%d) %d %d\n", s.name, (int)s.type, (int)s.rank, (int)s.extents[0], (int)s.extents[1],
           s.column_major, (int)s.bytes);
    if (xlazy_number_signature(f, 1, &s) != XLAZY_OK) return 1;
    printf("%s %d %d %d\n", s.name, (int)s.type, (int)s.rank, (int)s.bytes);
    if (xlazy_output_signature(f, 1, &s) != XLAZY_OK) return 1;
    printf("%s %d %d %d\n", s.name, (int)s.type, (int)s.rank, (int)s.bytes);
    say("index", xlazy_output_signature(f, 2, &s));
    say("null", xlazy_output_signature(f, 1, NULL));
    return 0;
}

static int wrong(const xlazy_function* f) {
    double x[6] = {0}, y[6];
    int64_t calls;
    const int64_t other[2] = {3, 2};
    const double k = 2;
    const xlazy_input in = {x, XLAZY_F64, 2, kShape};
    xlazy_input bad = in;
    const xlazy_number numbers[2] = {{&k, XLAZY_F64}, {&k, XLAZY_F64}};
    xlazy_number no_number[2];
    const xlazy_output out[2] = {{y, XLAZY_F64, 2, kShape}, {&calls, XLAZY_I64, 0, NULL}};
    say("inputs", xlazy_run(f, &in, 0, numbers, 2, out, 2));
    say("numbers", xlazy_run(f, &in, 1, numbers, 1, out, 2));
    say("outputs", xlazy_run(f, &in, 1, numbers, 2, out, 1));
    bad.type = XLAZY_F32;
    say("type", xlazy_run(f, &bad, 1, numbers, 2, out, 2));
    bad.type = (xlazy_type)99;
    say("no type", xlazy_run(f, &bad, 1, numbers, 2, out, 2));
    bad = in;
    bad.extents = other;
    say("extents", xlazy_run(f, &bad, 1, numbers, 2, out, 2));
    bad.extents = NULL;
    say("no extents", xlazy_run(f, &bad, 1, numbers, 2, out, 2));
    bad = in;
    bad.data = NULL;
    say("no memory", xlazy_run(f, &bad, 1, numbers, 2, out, 2));
    memcpy(no_number, numbers, sizeof no_number);
    no_number[0].data = NULL;
    say("no number", xlazy_run(f, &in, 1, no_number, 2, out, 2));
    say("no list", xlazy_run(f, NULL, 1, numbers, 2, out, 2));
    say("no function", xlazy_run(NULL, &in, 1, numbers, 2, out, 2));
    say("right", xlazy_run(f, &in, 1, numbers, 2, out, 2));
    return 0;
}

static void* many(void* f) {
    double y[6], first[6];
    int64_t calls;
    int round;
    for (round = 0; round < 200; ++round) {
        if (step(f, 2.5, 3, y, &calls) != XLAZY_OK) return (void*)"a call failed";
        if (round == 0) memcpy(first, y, sizeof y);
        if (memcmp(first, y, sizeof y) != 0) return (void*)"another result";
    }
    return NULL;
}

static int threads(xlazy_function* f) {
    pthread_t all[4];
    double y[6];
    int64_t calls;
    int i;
    for (i = 0; i < 4; ++i) pthread_create(&all[i], NULL, many, f);
    for (i = 0; i < 4; ++i) {
        void* problem = NULL;
        pthread_join(all[i], &problem);
        if (problem != NULL) printf("%s\n", (const char*)problem);
    }
    step(f, 2.5, 3, y, &calls);
    printf("calls %ld\n", (long)calls);
    return 0;
}

int main(int argc, char** argv) {
    xlazy_function* f = NULL;
    int status = 2;
    if (argc != 3) return 2;
    if (say("load", xlazy_load(argv[1], 0, &f))) return f == NULL ? 1 : 3;
    if (strcmp(argv[2], "run") == 0) status = run(f);
    if (strcmp(argv[2], "signature") == 0) status = signature(f);
    if (strcmp(argv[2], "wrong") == 0) status = wrong(f);
    if (strcmp(argv[2], "threads") == 0) status = threads(f);
    xlazy_free(f);
    return status;
}
