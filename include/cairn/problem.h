// problem.h - the one problem that every time step poses and every solver answers.
//
// Unknowns: the velocity v of all bodies and the impulse p of all rows. Find them such that
//
//     v = v_free + M^-1 J^T p             impulses change the free velocity
//     u = J v - target + compliance p     what each row still has to correct
//     every block's law holds             it ties the block's part of u to its part of p
//
// A problem is a plain value: it knows neither worlds nor shapes, so any step's problem can be
// saved to a file and solved again, alone, by any solver. Equations: docs/theory/problem.md.
//
// Where there is more than rigid bodies, M and J are general sparse matrices (CnMasses); where
// neither is known, the matrix W of u = W p - target + compliance p is given instead (CnResponse).
#pragma once

#include "cairn/base.h"
#include "cairn/constraint.h"

typedef enum CnLaw {
    CN_LAW_EQUALITY, // u = 0
    CN_LAW_BOUNDS,   // lower <= p <= upper; u >= 0 where p = lower, u <= 0 where p = upper
    CN_LAW_COULOMB,  // rows (normal, friction rows): contact with dry friction; the exact cone,
                     // unless the friction_model is another
    CN_LAW_FORCE,    // p = offset - slope u: springs, dampers and given forces
    CN_LAW_COUNT
} CnLaw;

// "equality", "bounds", "coulomb", "force": as written in problem files.
CN_API const char* cn_law_name(CnLaw law);

// The law of contacts with friction. All but exact are approximations that solvers use only on
// request: docs/theory/pyramid.md, docs/theory/friction.md (14).
typedef enum CnFrictionModel {
    CN_FRICTION_EXACT,   // the Coulomb cone
    CN_FRICTION_BOX,     // each tangent on its own in [-mu p_n, mu p_n]: up to sqrt(2) too strong
    CN_FRICTION_PYRAMID, // a polygon inside the disc: up to 1 - cos(pi / sides) too weak
    CN_FRICTION_ASSOCIATED, // the convex cone problem: a sliding contact opens at mu times its slip
                            // speed
    CN_FRICTION_COUNT
} CnFrictionModel;

// "exact", "box", "pyramid", "associated": as written in scenes.
CN_API const char* cn_friction_model_name(CnFrictionModel model);

#define CN_MAX_PYRAMID_SIDES 64

// Rows that act between the same two bodies and share one law. Rows that tie two joints together
// act on up to four: such a block has a second pair of bodies, C and D, with rows of their own in
// jacobian_c and jacobian_d; docs/theory/problem.md (19). All other blocks leave it zero.
typedef struct CnBlock {
    CnLaw law;
    int first_row, row_count; // into the row arrays; 1..CN_MAX_ROWS; coulomb: from 2
    int body_a, body_b;       // index of each body, -1 for the immovable world
    double friction;          // CN_LAW_COULOMB only, >= 0
    uint64_t key;             // stable from step to step; matches impulses for warm starting
    int second[2];            // index + 1 of bodies C and D, 0: none. The bodies of a block are all
                              // different; contacts (CN_LAW_COULOMB) have no second pair
} CnBlock;

// A sparse matrix in compressed rows. As W it maps impulses to velocities of rows [1/kg]. It need
// not be symmetric: some codes evaluate inertias at several configurations.
typedef struct CnResponse {
    const int* start;    // entries of row i: start[i] .. start[i+1]   [rows + 1]
    const int* column;   // ascending in a row   [start[rows]]
    const double* value; // [start[rows]]
} CnResponse;

// Coordinates that a general mass matrix ties together: finite elements, flexible bodies, bodies of
// other codes. M v = M v_free + J^T p and u = J v - target + compliance p, with sparse M and J.
typedef struct CnMassesDef {
    int coordinate_count;  // of v
    CnResponse mass;       // M, a row for each coordinate; regular, need not be symmetric [kg]
    CnResponse jacobian;   // J, a row for each row of the problem
    const CnBlock* blocks; // those of the problem: what each feels of itself is found once
    int block_count;
} CnMassesDef;

// M and J, checked, copied and factored. It has scratch memory: problems that share masses are
// solved and graded one after the other.
typedef struct CnMasses CnMasses;

// NULL: no memory, or something is wrong, which the sentence names: sizes, indices, numbers that
// are not finite, M singular.
CN_API CnMasses* cn_masses_create(const CnMassesDef* def, CnError* error);
CN_API void cn_masses_destroy(CnMasses* masses); // NULL is fine

CN_API int cn_masses_coordinate_count(const CnMasses* masses);

// x = M^-1 b: free velocities from momenta. x may be b   [coordinate_count]
CN_API void cn_masses_solve(const CnMasses* masses, const double* b, double* x);

typedef struct CnProblem {
    int body_count, block_count, row_count;
    const double* inverse_mass;         // [1/kg]; 0 for bodies nothing can move   [body_count]
    const double (*inverse_inertia)[9]; // world axes, row-major, symmetric   [body_count]
    const double (*free_velocity)[6];   // linear then angular   [body_count]
    const CnBlock* blocks;              // rows of block i follow those of block i-1   [block_count]
    const double (*jacobian_a)[6];      // zero when body_a is -1   [row_count]
    const double (*jacobian_b)[6];      // zero when body_b is -1   [row_count]
    const double (*jacobian_c)[6];      // NULL when no block has a second pair; else zero in the
    const double (*jacobian_d)[6];      // rows of blocks without C, without D   [row_count]
    const double* target;               // [m/s]   [row_count]
    const double* compliance;           // >= 0 [m/s per N s = 1/kg]   [row_count]
    const double *lower, *upper;        // bounds rows: limits of p, may be infinite   [row_count]
    const double *offset, *slope;   // force rows: p = offset - slope u, slope >= 0   [row_count]
    const char* const* block_names; // NULL, or a name or NULL for each block   [block_count]

    // NULL: bodies answer, W = J M^-1 J^T. Else W itself: there are no bodies (every body index is
    // -1, body_count is 0, jacobians may be NULL) and -target is the free velocity of the rows.
    const CnResponse* response;

    // NULL, or M and J of coordinates that are not those of bodies: every body index is -1, and
    // masses, inertias and jacobians may be NULL. Coordinates fill free_velocity and the velocity
    // of a solution six by six: body_count is (coordinate_count + 5) / 6, what is left over is 0.
    const CnMasses* masses;

    // The friction law that certificates compare with, default exact. cn_solve() uses the one of
    // its def instead, and reports a certificate against the exact law.
    CnFrictionModel friction_model;
    int pyramid_sides; // of pyramids, even, 4 to CN_MAX_PYRAMID_SIDES

    // Largest impulse of contacts and of rows without an upper bound [N s]; 0: no limit. As
    // with friction, cn_solve() uses the limit of its def, and reports against the law without one.
    double impulse_limit;
} CnProblem;

// On input a guess (zeros are fine), on output the answer.
typedef struct CnSolution {
    double* impulse;       // p [N s]   [row_count]
    double (*velocity)[6]; // v   [body_count]
} CnSolution;

// Says what is wrong with a problem: sizes, order of rows, indices, numbers that are not finite,
// negative masses, blocks that no impulse can move (W_aa = 0). CN_OK: any solver may see it.
CN_API CnStatus cn_problem_check(const CnProblem* problem, CnError* error);

// v = v_free + M^-1 J^T p, from scratch.
CN_API void cn_problem_velocity(const CnProblem* problem, const double* impulse,
                                double (*velocity)[6]);

// How wrong an answer is, against the laws of the problem, whatever the solver approximated.
// With box and pyramid friction cone_violation and complementarity are those of the cone.
// u is that of the impulses, J (v_free + M^-1 J^T p) - target + compliance p: an answer is never
// judged by velocities it only claims. docs/theory/certificate.md has the equations.
typedef struct CnCertificate {
    double worst;           // largest block residual |p - P_K(p - rho u~)| / rho [m/s or rad/s],
                            // or velocity_defect where that is larger; infinite, never NaN
    double rms;             // over blocks [m/s]
    int worst_block;        // index, -1 when there is no block
    double fclib_error;     // |p - P_K(p - u~)| / max(|q|, |p|, |u|) over all rows
    double scaled_error;    // the same with a common rho = rows / trace(W): scale-free
    double cone_violation;  // largest distance of a p from its set [N s]
    double complementarity; // largest |u~ . p| of a block [J]
    double velocity_defect; // largest |v - (v_free + M^-1 J^T p)| [m/s]
} CnCertificate;

// Which number of a certificate a tolerance is held against.
typedef enum CnErrorMeasure {
    CN_ERROR_VELOCITY, // worst [m/s]
    CN_ERROR_RELATIVE, // the larger of fclib_error and scaled_error [1]
    CN_ERROR_COUNT
} CnErrorMeasure;
CN_API const char* cn_error_measure_name(CnErrorMeasure measure); // "velocity", "relative"
CN_API double cn_certificate_error(const CnCertificate* certificate, CnErrorMeasure measure);

// Residual of each block goes to block_residual when it is not NULL [block_count]. All infinite
// when there is no memory for the velocities.
CN_API void cn_problem_certify(const CnProblem* problem, const CnSolution* solution,
                               double* block_residual, CnCertificate* certificate);

// A problem that owns its memory: from a file, or a copy of one a world posed.
typedef struct CnOwnedProblem CnOwnedProblem;
CN_API CnOwnedProblem* cn_problem_copy(const CnProblem* problem, CnError* error);

// The same problem with W = J M^-1 J^T in place of masses, in the same order. CN_NO_MEMORY: W may
// have more than 2^27 entries.
CN_API CnOwnedProblem* cn_problem_condense(const CnProblem* problem, CnError* error);

// Cairn's own files, to the last bit: docs/problem-file.md. Those of FCLib, with names in .hdf5 or
// .h5, are for cairn/fclib.h, and refused here (CN_UNSUPPORTED).
CN_API CnOwnedProblem* cn_problem_load(const char* path, CnError* error);
CN_API CnStatus cn_problem_save(const CnProblem* problem, const char* path, CnError* error);
CN_API const CnProblem* cn_owned_problem_get(const CnOwnedProblem* owned);
CN_API void cn_owned_problem_destroy(CnOwnedProblem* owned); // NULL is fine

// An answer as {"impulse": [row_count], "velocity": [6 body_count]}, to the last bit. With masses
// "velocity" is that of the coordinates, with a response u of the rows. CN_UNSUPPORTED: a name of
// FCLib's, for cn_fclib_save().
CN_API CnStatus cn_solution_save(const CnProblem* problem, const CnSolution* solution,
                                 const char* path, CnError* error);
