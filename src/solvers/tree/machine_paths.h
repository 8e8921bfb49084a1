// machine_paths.h - rows that act on machines from outside, by coordinates along paths of trees.
//
// Impulses p of these rows have coordinates y = Y^T p along the axes of the trees, and their
// velocities are u = b + Y y + C p. A row has entries only on the paths from its links to their
// roots, so a visit of a block costs about as much as that of a contact between two free bodies.
// docs/theory/mechanisms.md (23)-(25).
#pragma once

#include "solvers/sweep/block_momentum.h"
#include "solvers/sweep/block_solve.h"
#include "solvers/tree/machine_parts.h"

// Rows that have entries on some axes. Fours of axes are worked on together: those that fill the
// last one up are an axis of their own, with entries of zero.
#define CN_PATH_LANES 4
typedef struct CnRowPath {
    const int* axis;     // that the rows have entries on   [stride]
    const double* value; // row after row   [rows * stride]
    int count, stride;   // axes; with those that fill up
} CnRowPath;

// sum = Y y, each sum of four, of the axes that are equal modulo four; y += Y^T change.
typedef struct CnPathProducts {
    void (*read)(const CnRowPath* path, int rows, const double* y, double* sum);
    void (*write)(const CnRowPath* path, int rows, const double* change, double* y);
} CnPathProducts;
extern const CnPathProducts cn_path_products_plain, cn_path_products_128, cn_path_products_256;

typedef struct CnPathBlock {
    CnSweepBlock item; // its law, with W_aa as joints leave it
    int index;         // in the problem
    const double* own; // W_aa of its bodies alone, as the certificate has it   [rows * rows]
    double own_largest;
    int root[2]; // of the trees that its first two sides are on, -1: none
    CnRowPath path;
    bool acts;       // grade: it has an impulse, or needs one
    double residual; // grade: as the certificate has it [m/s]
    CnBlockMomentum momentum;
} CnPathBlock;

typedef struct CnPaths {
    const CnProblem* problem;
    const CnPathProducts* products; // for the registers of this processor
    int count, axes;                // the last axis is the one that fills paths up
    CnPathBlock* blocks;            // [count]
    const double* before;           // impulses that b has felt   [row_count]
    double* b;                      // u at these impulses   [row_count]
    double* y;                      // Y^T (p - before)   [axes]
    double* p;                      // impulses   [row_count]
    double* scratch;                // zero between calls   [axes]
    double worst, rms;              // grade: of the residuals [m/s]
    int worst_block;                // grade: place of the block with the worst one
    double work_of_grade;           // multiplications
    double work;                    // grade: multiplications of visiting all blocks that act
} CnPaths;

// Of all blocks outside of a machine that is factored and has moved; p is its guess. Memory from
// the arena.
CnStatus cn_paths_prepare(const CnMachine* machine, CnArena* arena, CnPaths* paths);

// u of a block at the present impulses.
void cn_paths_read(const CnPaths* paths, const CnPathBlock* it, double* u);

// Solves a block with all others held.
void cn_paths_visit(CnPaths* paths, CnPathBlock* it);

// Extrapolates the impulse of a block by at most `most` times its last change.
void cn_paths_extrapolate(CnPaths* paths, CnPathBlock* it, double most);

// y anew from the impulses, residuals of all blocks, and which of them act.
void cn_paths_grade(CnPaths* paths);

// The response of some blocks to each other, without compliance: W = Y Y^T.
// list: places of blocks   [count]; w: row-major   [rows of them all, squared]
void cn_paths_response(CnPaths* paths, const int* list, int count, int rows, double* w);
