/* SPDX-License-Identifier: BSD-3-Clause */
/* Saved functions, from C: load a file, ask for its signature, run it on memory of the caller's. The program needs
 * libxlazy.so, no xtensor and no compiler. docs/saved-functions.md has an example.
 *
 * Threads: every function may be called from any thread at any time, also for one handle at once, but for xlazy_free,
 * after which nobody may use the handle. Calls of a function with states run one after the other. */
#ifndef XLAZY_RUN_H
#define XLAZY_RUN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What became of a call. */
typedef enum xlazy_status {
    XLAZY_OK = 0,
    XLAZY_BAD_FILE = 1,     /* cannot be read, or holds no function that can run here */
    XLAZY_BAD_ARGUMENT = 2, /* a null pointer, an index, a type or an extent that does not fit; nothing has run */
    XLAZY_BAD_DATA = 3,     /* a statement of the function failed on its data; the outputs hold anything */
    XLAZY_NO_MEMORY = 4,
    XLAZY_INTERNAL = 5 /* an error of the library's own */
} xlazy_status;

/* Types of elements. A bool is one byte, 0 or 1; complex numbers are real part, imaginary part. */
typedef enum xlazy_type {
    XLAZY_BOOL = 0,
    XLAZY_I8 = 1,
    XLAZY_I16 = 2,
    XLAZY_I32 = 3,
    XLAZY_I64 = 4,
    XLAZY_U8 = 5,
    XLAZY_U16 = 6,
    XLAZY_U32 = 7,
    XLAZY_U64 = 8,
    XLAZY_F32 = 9,
    XLAZY_F64 = 10,
    XLAZY_C64 = 11,
    XLAZY_C128 = 12
} xlazy_type;

/* A loaded function. */
typedef struct xlazy_function xlazy_function;

/* An array or a number of a function's signature. Pointers live as long as the handle. */
typedef struct xlazy_signature {
    const char* name; /* "" where it has none */
    xlazy_type type;
    size_t rank;            /* 0: one element; numbers have rank 0 */
    const int64_t* extents; /* `rank` of them */
    int column_major;       /* order of the elements in memory */
    size_t bytes;           /* of all elements */
} xlazy_signature;

/* An array in memory of the caller's: without gaps, in the order that the signature says. */
typedef struct xlazy_input {
    const void* data;
    xlazy_type type;
    size_t rank;
    const int64_t* extents;
} xlazy_input;

/* The same for results. It overlaps with no input and no other output. */
typedef struct xlazy_output {
    void* data;
    xlazy_type type;
    size_t rank;
    const int64_t* extents;
} xlazy_output;

/* A number: `data` points to a value of that type. It is converted to the type of the signature. */
typedef struct xlazy_number {
    const void* data;
    xlazy_type type;
} xlazy_number;

/* Take the compiled kernels of the file. They are machine code: only from people whose programs you would run. */
#define XLAZY_USE_KERNELS 1u

/* Reads a file. `flags` is 0 or XLAZY_USE_KERNELS. `*function` is null unless the status is XLAZY_OK. */
xlazy_status xlazy_load(const char* file, unsigned flags, xlazy_function** function);

/* Frees a handle; null is allowed. */
void xlazy_free(xlazy_function* function);

/* Why the last call of this thread that did not return XLAZY_OK failed; "" if there was none. The text lives until the
 * thread's next call that fails. */
const char* xlazy_error(void);

/* The function's name, "" where it has none. */
const char* xlazy_name(const xlazy_function* function);

/* How many arrays it takes, how many numbers, how many arrays it gives. */
size_t xlazy_input_count(const xlazy_function* function);
size_t xlazy_number_count(const xlazy_function* function);
size_t xlazy_output_count(const xlazy_function* function);

/* Number `index` of them. */
xlazy_status xlazy_input_signature(const xlazy_function* function, size_t index, xlazy_signature* signature);
xlazy_status xlazy_number_signature(const xlazy_function* function, size_t index, xlazy_signature* signature);
xlazy_status xlazy_output_signature(const xlazy_function* function, size_t index, xlazy_signature* signature);

/* Calls the function. The counts, types and extents must be those of the signature. */
xlazy_status xlazy_run(const xlazy_function* function, const xlazy_input* inputs, size_t input_count,
                       const xlazy_number* numbers, size_t number_count, const xlazy_output* outputs,
                       size_t output_count);

#ifdef __cplusplus
}
#endif

#endif /* XLAZY_RUN_H */
