// block.h - the arithmetic of one block of rows: what it feels, how it answers, how it pushes.
#pragma once

#include "cairn/problem.h"

#include <math.h>

// Bodies that a block acts on, by side: A and B, and C and D of a second pair.
#define CN_BLOCK_SIDES 4

static inline bool cn_block_has_second(const CnBlock* block) {
    return block->second[0] != 0 || block->second[1] != 0;
}

// How many sides to walk over: 2 for almost all blocks.
static inline int cn_block_sides(const CnBlock* block) {
    return cn_block_has_second(block) ? CN_BLOCK_SIDES : 2;
}

// The body on a side; -1: the world, or none.
static inline int cn_block_body(const CnBlock* block, int side) {
    return side == 0 ? block->body_a : side == 1 ? block->body_b : block->second[side - 2] - 1;
}

// Sets the body on a side; -1: the world, or none.
static inline void cn_block_set_body(CnBlock* block, int side, int body) {
    int* const place[CN_BLOCK_SIDES] = {&block->body_a, &block->body_b, &block->second[0],
                                        &block->second[1]};
    *place[side] = side < 2 ? body : body + 1;
}

// The part of a row on one side of its block.
static inline const double* cn_block_jacobian(const CnProblem* problem, int row, int side) {
    return side == 0   ? problem->jacobian_a[row]
           : side == 1 ? problem->jacobian_b[row]
           : side == 2 ? problem->jacobian_c[row]
                       : problem->jacobian_d[row];
}

// W_aa = J_a M^-1 J_a^T + compliance, row-major row_count x row_count. Symmetric to the bit for
// bodies; as symmetric as it was given for a response.
void cn_block_delassus(const CnProblem* problem, const CnBlock* block, double* w);

// The trace of W_aa.
double cn_block_trace(const CnProblem* problem, const CnBlock* block);

// u = J v - target + compliance p for the rows of one block; impulse is the whole vector.
void cn_block_velocity(const CnProblem* problem, const CnBlock* block, const double (*velocity)[6],
                       const double* impulse, double* u);

// J v of one row through the second pair of its block, which has one.
double cn_block_second_velocity(const CnProblem* problem, const CnBlock* block, int row,
                                const double (*velocity)[6]);

// W p of one row, where W is given.
double cn_response_row(const CnResponse* response, int row, const double* impulse);

// q = J v_free - target: what the rows of one block feel without any impulse.
void cn_block_free_velocity(const CnProblem* problem, const CnBlock* block, double* q);

// v += M^-1 J^T dp for the bodies of a block; dp has row_count entries.
void cn_block_apply(const CnProblem* problem, const CnBlock* block, const double* dp,
                    double (*velocity)[6]);

// momentum += J^T p of every block on every body that moves: linear, then about the centre of mass.
void cn_problem_push(const CnProblem* problem, const double* impulse, double (*momentum)[6]);

// False for the world (-1) and for bodies with neither mass nor inertia to give.
bool cn_body_moves(const CnProblem* problem, int body);

// M^-1 j for one body and one row of its Jacobian; out must not be j. Zero for body -1.
void cn_block_inverse_mass_times(const CnProblem* problem, int body, const double j[6],
                                 double out[6]);

// The largest eigenvalue of the symmetric part of an n x n matrix, n <= CN_MAX_ROWS, to 1e-10 of
// the trace; to 1e-8 where n is 3 and the two largest are one.
double cn_block_largest_eigenvalue(const double* w, int n);

// The formula for n = 3 serves while h + 1 is at least this; below, the two largest eigenvalues
// meet, and d loses up to half the digits of h.
#define CN_NEARLY_DOUBLE 1e-4

// The upper bound of a row under the problem's impulse_limit, which counts where there is none.
static inline double cn_limited_upper(const CnProblem* problem, double upper) {
    bool is_limited = problem->impulse_limit > 0.0 && upper == HUGE_VAL;
    return is_limited ? problem->impulse_limit : upper;
}

// u~, whose pairing with p is a contact's law: u + mu sum_g |u_g| e_N, or u itself where the
// problem is associated. out may be u. docs/theory/friction.md (14).
void cn_block_shift(const CnProblem* problem, const CnBlock* block, const double* u, double* out);

// p - P(p - rho u~): zero exactly when the block's law holds, for any rho > 0; out has row_count
// entries. docs/theory/certificate.md (3)-(6).
void cn_block_natural_map(const CnProblem* problem, const CnBlock* block, double rho,
                          const double* u, const double* p, double* out);

// |p - P(p - rho u~)|^2 for each of several rho; square has count entries.
void cn_block_map_squares(const CnProblem* problem, const CnBlock* block, int count,
                          const double* rho, const double* u, const double* p, double* square);

// The natural-map residual of one block in row units per second; w is its W_aa, lambda_max its
// largest eigenvalue; an equality reads neither. Infinite when u or p is not finite.
// docs/theory/certificate.md (7), (8).
double cn_block_residual(const CnProblem* problem, const CnBlock* block, const double* w,
                         double lambda_max, const double* u, const double* p);
// The same where W_aa is not at hand.
double cn_block_grade(const CnProblem* problem, const CnBlock* block, const double* u,
                      const double* p);

// A name for messages: the given one, or "block 12 (coulomb)".
void cn_block_describe(const CnProblem* problem, int block, char* name, size_t size);
