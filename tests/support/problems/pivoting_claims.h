// pivoting_claims.h - tests shared by all exact solvers of bounds and equalities.
//
// Each claim is a function of the solver; a test file turns those it makes into cases:
//
//     PIVOTING_CLAIMS(cn_solver_lemke)
//     TEST_MAIN("solvers/lemke", PIVOTING_TESTS)
#pragma once

#include "support/problems/solving.h"
#include "support/test.h"

#define PIVOTING_LIST(CLAIM)                                                                       \
    CLAIM(two_coupled_rows_have_a_known_answer)                                                    \
    CLAIM(a_row_that_separates_carries_nothing)                                                    \
    CLAIM(four_points_under_a_box_carry_its_weight)                                                \
    CLAIM(a_tower_of_mass_ratio_1e6_carries_its_weight)                                            \
    CLAIM(finite_limits_saturate)                                                                  \
    CLAIM(a_limit_passes_the_load_to_its_twin)                                                     \
    CLAIM(redundant_equalities_do_not_disturb)                                                     \
    CLAIM(a_contact_on_a_held_body_is_harmless)                                                    \
    CLAIM(contradicting_equalities_stall)                                                          \
    CLAIM(a_squeezed_body_stalls)                                                                  \
    CLAIM(springs_share_a_load_with_a_stop)                                                        \
    CLAIM(random_singular_problems_are_solved)                                                     \
    CLAIM(badly_scaled_problems_are_solved)                                                        \
    CLAIM(the_same_problem_gives_the_same_bits)                                                    \
    CLAIM(friction_is_refused_with_a_sentence)                                                     \
    CLAIM(too_many_rows_are_refused_with_a_sentence)                                               \
    CLAIM(running_out_of_memory_is_reported)                                                       \
    CLAIM(an_empty_problem_is_solved)

#define PIVOTING_DECLARE(name) void claim_##name(const CnSolver* solver);
PIVOTING_LIST(PIVOTING_DECLARE)

#define PIVOTING_CASE(name)                                                                        \
    static void name(void) {                                                                       \
        claim_##name(&PIVOTING_SOLVER);                                                            \
    }

#define PIVOTING_TEST(name) TEST(name),

// A random problem: rows between random pairs of `bodies` bodies, with limits of every kind, some
// repeated exactly, masses up to 10^spread and down to 10^-spread. It always has a solution.
void fill_random_problem(Problem* problem, uint64_t seed, int bodies, int rows, double spread);

typedef struct Residual {
    double worst; // the largest |p - P(p - u / W_ii)| W_ii over rows, from the definition [m/s]
    double scale; // the largest |W_ii p|, at least 1 [m/s]
} Residual;

Residual natural_residual(const CnProblem* problem, const double* impulse);
