// profile.h - performance profiles of solvers on a set of problems (Dolan and More, 2002).
//
// The ratio of a solver on a problem is its cost there over the least cost of all solvers that
// solved it. The profile of the solver at a ratio is the share of all problems it solves within
// that ratio: at 1, where it is the best; far right, how many it solves at all.
#pragma once

#include "cairn/solver.h"
#include "terminal/json_out.h"

typedef struct ProfileEntry {
    bool is_solved; // to the tolerance
    CnOutcome outcome;
    int iterations;
    double seconds, work; // [s], multiplications
    double residual;      // [m/s]
} ProfileEntry;

typedef struct Profile {
    int solver_count;
    char** problems; // names   [problem_count]
    int problem_count, capacity;
    ProfileEntry* entries; // of a problem, by solver   [problem_count][solver_count]
} Profile;

typedef enum ProfileCost { PROFILE_TIME, PROFILE_WORK, PROFILE_COST_COUNT } ProfileCost;

Profile profile_none(void); // for all solvers of the library
void profile_free(Profile* profile);

// Another problem, which no solver has solved so far. False: no memory.
bool profile_add_problem(Profile* profile, const char* name);
// The answer of a solver to the last problem.
void profile_set(Profile* profile, int solver, const CnSolverReport* report);

// Ratios of the problems that a solver solved, from the least to the largest; ratios
// [problem_count]. Returns how many: after the k-th ratio the profile is k / problem_count.
int profile_ratios(const Profile* profile, int solver, ProfileCost cost, double* ratios);

void profile_print(const Profile* profile);
// An object with this key, or the outermost one (NULL); with_problems: and every answer.
void profile_write(const Profile* profile, JsonOut* json, const char* key, bool with_problems);

// One file that shows the profiles and a table of the problems.
bool profile_write_page(const Profile* profile, const char* html, CnError* error);
