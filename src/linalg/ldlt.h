// ldlt.h - sparse LDL^T of a symmetric semidefinite or quasi-definite matrix.
//
//     cn_ldlt_analyze(&ldlt, &a, arena);           ordering and pattern: once per pattern
//     cn_ldlt_factor(&ldlt, &a, CN_LDLT_ROUND_OFF); numbers: once per matrix
//     cn_ldlt_solve(&ldlt, b, x);                  as often as wanted
//
// Redundant rows (dependent on others) are detected, skipped and reported: see
// docs/theory/linalg.md (5)-(9).
#pragma once

#include "linalg/sparse.h"

// The smallest pivot, relative to the terms it is the difference of, that is told from round-off:
// a few hundred epsilon, for the error of sums of that many terms.
#define CN_LDLT_ROUND_OFF 0x1p-43

typedef struct CnLdlt {
    int n;
    int rank;               // factor: rows that are not redundant
    bool* redundant;        // factor: row depends on rows eliminated before it   [n]
    int* order;             // order[k] is the row eliminated k-th   [n]
    size_t factor_count;    // entries of L below its unit diagonal
    double multiplications; // of one factorisation

    // Private.
    int* inverse;        // place of each row in the order   [n]
    int* parent;         // elimination tree, -1: root   [n]
    int* column_start;   // upper triangle of P A P^T: the pattern ...   [n + 1]
    int* column_row;     // [entries of A]
    int* slot;           // ... and where each entry of A goes in it   [entries of A]
    double* permuted;    // its values   [entries of A]
    size_t* l_start;     // L by columns   [n + 1]
    size_t* l_end;       // filled so far   [n]
    int* l_row;          // [factor_count]
    double* l;           // [factor_count]
    double* inverse_d;   // 0 for redundant rows   [n]
    double* work;        // zero between calls   [n]
    int *pattern, *mark; // [n]
} CnLdlt;

// Ordering by approximate minimum degree (AMD), elimination tree, memory for the factor.
// CN_NO_MEMORY also when the matrix has more entries than an int can count.
CnStatus cn_ldlt_analyze(CnLdlt* ldlt, const CnSparse* a, CnArena* arena);

// `a` has the pattern that was analyzed. A pivot at or below round_off times the terms it is the
// difference of makes its row redundant. False when a pivot is not finite.
bool cn_ldlt_factor(CnLdlt* ldlt, const CnSparse* a, double round_off);

// Redundant rows get 0; the other rows' equations hold, and the redundant rows' do when the
// system is consistent. x may be b.
void cn_ldlt_solve(const CnLdlt* ldlt, const double* b, double* x);

// The dependency that made a row redundant: A z = 0 to round-off, z is 1 at the row and 0 at the
// other redundant ones.
void cn_ldlt_dependency(const CnLdlt* ldlt, int row, double* z);

// All dependencies at once, weighted: A z = 0 to round-off, z is the weight at every redundant row;
// weights of other rows are not read. z may be weight.
void cn_ldlt_dependencies(const CnLdlt* ldlt, const double* weight, double* z);
