// friction.h - what the bench of frictional contact problems measures, and the tables made of it.
#pragma once

#include <stdbool.h>

typedef enum FrictionEnd {
    FRICTION_ABSENT, // the contender does not take the problem
    FRICTION_SOLVED, // both errors are within the tolerance
    FRICTION_PLAIN,  // fclib_error is, scaled_error is not: the answer is not to be trusted
    FRICTION_WRONG,  // it came back with neither
    FRICTION_LATE,   // stopped by the clock
    FRICTION_CRASHED,
} FrictionEnd;

typedef struct FrictionResult {
    FrictionEnd end;
    int iterations;
    double seconds; // the least of some runs
    double fclib_error, scaled_error;
    double sweep_seconds; // of FRICTION_SWEEPS sweeps, the least of some runs; 0: it does not sweep
    double sweep_error;   // fclib_error that they leave
} FrictionResult;

// Before nsgs accelerates: the same sweeps in both codes, so that they should leave the same error.
#define FRICTION_SWEEPS 20

// result[problem * contender_count + contender]
typedef struct FrictionTable {
    int problem_count, contender_count;
    const char* const* problems;
    const int* contacts; // of each problem
    const char* const* contenders;
    const FrictionResult* results;
    double tolerance, limit; // [1], [s]
} FrictionTable;

void friction_print_header(void);
void friction_print_result(const FrictionTable* table, int problem, int contender);
void friction_print_profile(const FrictionTable* table);
void friction_print_ratios(const FrictionTable* table, bool strict);
void friction_print_growth(const FrictionTable* table);
void friction_print_sweeps(const FrictionTable* table, const char* ours, const char* theirs);
