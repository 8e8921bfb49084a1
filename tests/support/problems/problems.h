// problems.h - small problems for tests, built row by row.
//
//     Problem problem = {0};
//     int body = problem_add_body(&problem, 1.0, 1.0);
//     problem.free_velocity[body][2] = -1.0;
//     problem_add_contact(&problem, -1, body, cn_vec3(0, 0, 0), cn_vec3(0, 0, -1), 0.5);
//     solve(problem_view(&problem), ...);
//     problem_free(&problem);
//
// All arrays may be written directly between calls; adding may move them. Running out of memory
// ends the test program.
#pragma once

#include "cairn/math.h"
#include "cairn/problem.h"

typedef struct Problem {
    int body_count, block_count, row_count;
    int body_capacity, block_capacity, row_capacity;
    double* inverse_mass;
    double (*inverse_inertia)[9];
    double (*free_velocity)[6];
    CnBlock* blocks;
    const char** block_names; // NULL unless problem_name_block was called
    double (*jacobian_a)[6];
    double (*jacobian_b)[6];
    double (*jacobian_c)[6]; // NULL unless problem_add_second() was called
    double (*jacobian_d)[6];
    double *target, *compliance, *lower, *upper, *offset, *slope;
    double* impulse;       // zeros: what problem_solution hands out
    double (*velocity)[6]; // zeros
    CnProblem view;
} Problem;

void problem_free(Problem* problem);

// The inertia is a ball's: the same about every axis. At rest.
int problem_add_body(Problem* problem, double inverse_mass, double inverse_inertia);

// A block with zero rows of J, zero target and compliance, and (bounds) limits [0, infinity).
// -1 names the immovable world. Returns the block's index; its rows are the last row_count ones.
int problem_add_block(Problem* problem, CnLaw law, int row_count, int body_a, int body_b);
void problem_name_block(Problem* problem, int block, const char* name); // name is not copied

// Gives a block a second pair of bodies, with zero rows; -1: none.
void problem_add_second(Problem* problem, int block, int body_c, int body_d);

// Row = [-d, -(arm_a x d), d, (arm_b x d)]: the speed along d of B's point away from A's.
void problem_set_row(Problem* problem, int row, CnVec3 direction, CnVec3 arm_a, CnVec3 arm_b);

// A coulomb block of three rows with the normal along z (from A to B); arms from the centres.
int problem_add_contact(Problem* problem, int body_a, int body_b, CnVec3 arm_a, CnVec3 arm_b,
                        double friction);

// An equality block of three rows that keeps two points together.
int problem_add_point_joint(Problem* problem, int body_a, int body_b, CnVec3 arm_a, CnVec3 arm_b);

// n <= 12 one-row blocks of one law with W = A (row-major, positive semidefinite) and u = W p - b:
// two bodies of unit mass and inertia, and rows that are those of A's Cholesky factor.
void problem_from_matrix(Problem* problem, CnLaw law, int n, const double* a, const double* b);

// Two contacts in the plane, friction 1/2, that give W instead of bodies: [2 1; 1.5 2] of their
// normals, which would close at 1 m/s, and [1 0; 0 1] of their tangents, apart from them and at
// rest. The targets may be written.
CnProblem problem_without_symmetry(Problem* problem);

// W of a problem that gives it; 0 where it has no entry.
double problem_response_at(const CnProblem* problem, int row, int column);

// Valid until the next call that adds; the view's pointers are the builder's arrays.
const CnProblem* problem_view(Problem* problem);

// A solution with zero impulses and velocities, owned by the problem.
CnSolution problem_solution(Problem* problem);

// u = J v - target + compliance p of every row, straight from the definition; its own code, so
// that it can stand against the library's.
void problem_row_velocity(const CnProblem* problem, const double* impulse, double* u);
