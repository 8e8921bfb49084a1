// nsgs_course.h - one course of nsgs: sweeps, acceleration and bursts of Newton steps, graded.
//
// On all rows, or on those that are left without joints. docs/theory/nsgs.md.
#pragma once

#include "cairn/solver.h"
#include "solvers/door/budget.h"
#include "solvers/first_order/anderson.h"
#include "solvers/sweep/block_newton.h"
#include "solvers/sweep/block_sweep.h"

// Beyond so many rows the cubic cost of Newton's matrix is that of thousands of sweeps.
#define CN_COURSE_NEWTON_ROWS 450

typedef struct CnCourse {
    CnSweep sweep;
    const CnSweep* whole; // on all rows: what the certificate grades
    CnArena* arena;       // for grading and for answers of joints
    bool out_of_memory;   // while these were found
    double* impulse;      // of all rows, when joints are eliminated   [whole row_count]
    CnErrorMeasure measure;
    double tolerance;      // in the unit of the measure
    CnBudget total;        // of the solve; the course ends with it
    double work_of_sweep;  // of the total: multiplications of a sweep ...
    double work_of_grade;  // ... and of grading
    double sweep_cost;     // in multiplications, as turns compare them
    double spent, budget;  // of this turn, likewise; it is over when it has spent as much
    int last_iteration;    // of its last turn
    int patience;          // iterations without progress
    double (*velocity)[6]; // the solution's, scratch until the end   [body_count]
    double* weight;        // sqrt(W_ii), 1 where that is 0: makes all rows comparable   [row_count]
    double* best;          // impulses with the least residual   [row_count]
    double best_residual;
    int best_iteration;
    int last_grade;     // iteration
    double grade_ratio; // of the residual then to the change that the sweep before it made

    CnAnderson anderson;
    bool is_accelerating;
    double* start;      // impulses before the step   [row_count]
    double* plain;      // impulses before they were combined   [row_count]
    double last_length; // of the step before
    bool was_combined;  // the step started from a combination

    CnBlockNewton newton;
    bool has_newton;
    int next_burst; // iteration
    int newton_steps;
} CnCourse;

// Memory for a course whose sweep is prepared; velocity and total are set afterwards.
CnStatus cn_course_begin(CnCourse* course, const CnSweep* whole, const CnSolverDef* def,
                         CnArena* arena);

// Steps until the course is finished, has spent its budget or has come to the limit of iterations.
// The report gets iterations and outcome, and in the remark why it stopped.
CnStatus cn_course_run(CnCourse* course, int limit, double* p, CnSolverReport* report);

// Grades p with fresh velocities and keeps it if it is the best so far.
double cn_course_grade(CnCourse* course, const double* p, int iteration);

// The impulses of all rows, joints answering, in course->impulse. False: the joints do not hold.
bool cn_course_expand(CnCourse* course, const double* p);

// Multiplications of one Newton step, and of a burst of them that brings nothing.
double cn_course_newton_cost(double rows);
double cn_course_burst_cost(double rows);
