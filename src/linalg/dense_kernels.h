// dense_kernels.h - inner loops of dense.c, once for each width of registers: the same bits.
#pragma once

typedef struct CnDenseKernels {
    double (*dot)(int n, const double* a, const double* b);
    double (*largest)(int n, const double* a); // magnitude
    void (*add_scaled)(int n, double scale, const double* x, double* y);
    // Column k of an LU factor: takes row k from those below it, and leaves L in their place.
    void (*eliminate)(int n, int k, double* a);
} CnDenseKernels;
extern const CnDenseKernels cn_dense_kernels_128, cn_dense_kernels_256;
