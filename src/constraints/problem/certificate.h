// certificate.h - grading an answer, whole or in parts, with memory that the caller brings.
#pragma once

#include "cairn/problem.h"

#include <stddef.h>

// cn_problem_certify() for callers that may not allocate: scratch holds the velocity that the
// impulses alone give [body_count], and is left filled with it.
void cn_certify(const CnProblem* problem, const CnSolution* solution, double (*scratch)[6],
                double* block_residual, CnCertificate* certificate);

// Grades of some of the blocks of one step: islands, contact tiles, explicit blocks. Parts merge
// into the grades of all, in an order that the caller keeps. docs/theory/grading.md (6)-(8).
typedef struct CnGradeSums {
    int block_count;
    int worst_block;      // -1: no block
    double worst;         // largest residual of a block [m/s]
    double residual;      // sum of the squares of all
    double p, u, q;       // |p|^2, |u|^2, |q|^2 with q = J v_free - target
    double plain, scaled; // |p - P(p - rho u~)|^2 with rho = 1 and with the common rho
    double cone_violation, complementarity, velocity_defect; // largest, as in CnCertificate
} CnGradeSums;

void cn_grade_begin(CnGradeSums* sums);

// Adds the blocks of a problem, judged by a velocity that is that of all impulses of the step.
// first_block: number of its first block among those of the step. block_residual may be NULL.
void cn_grade_blocks(const CnProblem* problem, int first_block, const double (*velocity)[6],
                     const double* impulse, double rho, double* block_residual, CnGradeSums* sums);

// The same for some of the blocks, in this order; list NULL: the first ones.
void cn_grade_listed(const CnProblem* problem, int count, const int* list, int first_block,
                     const double (*velocity)[6], const double* impulse, double rho,
                     double* block_residual, CnGradeSums* sums);

// Adds block `index` of a problem, number `number` of the step, where its u and q are at hand.
void cn_grade_block(const CnProblem* problem, int index, int number, const double* u,
                    const double* q, const double* impulse, double rho, double* block_residual,
                    CnGradeSums* sums);

// Block `index` has this residual: the worst so far, and how many there are.
static inline void cn_grade_note(double residual, int index, int number, double* block_residual,
                                 CnGradeSums* sums) {
    if (sums->worst_block < 0 || residual > sums->worst) {
        sums->worst = residual;
        sums->worst_block = number;
    }
    if (block_residual != NULL) {
        block_residual[index] = residual;
    }
    ++sums->block_count;
}

// The same of a row with bounds whose W is known: w, its trace with compliance; and of one whose
// bounds are both zero, which gives nothing and misses nothing.
void cn_grade_bound(const CnProblem* problem, int index, int number, double w, double u, double q,
                    const double* impulse, double rho, double* block_residual, CnGradeSums* sums);
void cn_grade_mute(int index, int number, double u, double q, double* block_residual,
                   CnGradeSums* sums);

// Adds a part. Of equally bad blocks the one with the lower number counts.
void cn_grade_merge(CnGradeSums* sums, const CnGradeSums* part);

// The certificate of all parts; rho is the common step that they were graded with.
void cn_grade_finish(const CnGradeSums* sums, double rho, CnCertificate* certificate);

// trace(W). The common step is the number of rows of the step divided by the traces of all parts.
double cn_problem_trace(const CnProblem* problem);
