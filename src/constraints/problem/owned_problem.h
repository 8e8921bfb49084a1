// owned_problem.h - a problem with its own memory, to be filled in by its creator.
//
//     CnOwnedProblem* owned = cn_owned_problem_create(bodies, blocks, rows, error);
//     owned->inverse_mass[0] = 1.0; ...
//     return cn_problem_check(&owned->problem, error);
#pragma once

#include "base/arena.h"
#include "cairn/problem.h"

// Most bodies or blocks of an owned problem; rows are at most CN_MAX_ROWS times as many. Sizes read
// from a file are held against this before anything is allocated.
#define CN_OWNED_PROBLEM_LIMIT (1 << 24)

struct CnOwnedProblem {
    CnProblem problem; // a read-only view of the arrays below; always up to date
    CnArena arena;     // owns everything the view points to; unused after init

    double* inverse_mass;         // zeroed by create, like all that follow   [body_count]
    double (*inverse_inertia)[9]; // [body_count]
    double (*free_velocity)[6];   // [body_count]
    CnBlock* blocks;              // [block_count]
    double (*jacobian_a)[6];      // [row_count]
    double (*jacobian_b)[6];      // [row_count]
    double (*jacobian_c)[6];      // NULL until cn_owned_problem_add_second()   [row_count]
    double (*jacobian_d)[6];
    double *target, *compliance; // [row_count]
    double *lower, *upper;       // [row_count]
    double *offset, *slope;      // [row_count]
    CnResponse response;         // empty until cn_owned_problem_give_response()
    CnMasses* masses;            // NULL until cn_owned_problem_give_masses()
    const char** block_names;    // NULL until cn_owned_problem_name_block()   [block_count]
};

// All numbers zero. NULL when a size is negative or above the limit, or memory runs out.
CnOwnedProblem* cn_owned_problem_create(int body_count, int block_count, int row_count,
                                        CnError* error);

// The same with arrays from a caller's arena, for problems that live as long as a step does: owned
// may be on the stack and is not destroyed. False: no memory.
bool cn_owned_problem_init(CnOwnedProblem* owned, CnArena* arena, int body_count, int block_count,
                           int row_count);

// Room for the rows of second pairs of bodies, zero: all of row_count as it is now. False: no
// memory.
bool cn_owned_problem_add_second(CnOwnedProblem* owned, CnArena* arena);

// All numbers of a problem that is no larger, to the front of the arrays; names are left as they
// are. If it has second pairs, room for these must be there.
void cn_owned_problem_copy_numbers(CnOwnedProblem* owned, const CnProblem* problem);

// Copies W; the problem must have no bodies.
CnStatus cn_owned_problem_give_response(CnOwnedProblem* owned, const CnResponse* response,
                                        CnError* error);

// Factors and copies M and J; the blocks must be there. The masses go with the problem.
CnStatus cn_owned_problem_give_masses(CnOwnedProblem* owned, const CnMassesDef* def,
                                      CnError* error);

// Copies the name; NULL takes it away.
CnStatus cn_owned_problem_name_block(CnOwnedProblem* owned, int block, const char* name,
                                     CnError* error);
