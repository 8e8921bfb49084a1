// machine_paths.h - rows that act on machines from outside, by coordinates along paths of trees.
//
// Impulses p of these rows have coordinates y = Y^T p along the axes of the trees, and their
// velocities are u = b + Y y + C p. A row has entries only on the paths from its links to their
// roots, so a visit of a block costs about as much as that of a contact between two free bodies.
// Only blocks that act are written out so: the others are watched by the velocities of their links.
// docs/theory/mechanisms.md (23)-(25), (60), (61).
#pragma once

#include "solvers/sweep/block_solve.h"
#include "solvers/tree/machine_parts.h"

// Rows that have entries on some axes. Axes of a limb lie side by side in y, and fours of them are
// worked on together.
#define CN_PATH_LANES 4
typedef struct CnRowPath {
    const int* place;    // of each four in y   [fours]
    const double* value; // a four after the other, in each row after row
    int fours;           // [fours * rows * CN_PATH_LANES] values
} CnRowPath;

// sum = Y y, each sum of four, of the axes that are equal modulo four; y += Y^T change, and where
// `further` is not NULL y_further += Y^T further.
typedef struct CnPathProducts {
    void (*read)(const CnRowPath* path, int rows, const double* y, double* sum);
    void (*write)(const CnRowPath* path, int rows, const double* change, double* y);
    void (*write_both)(const CnRowPath* path, int rows, const double* change, double* y,
                       const double* further, double* y_further);
} CnPathProducts;
extern const CnPathProducts cn_path_products_plain, cn_path_products_128, cn_path_products_256;

// A block that acts, or has acted. Its memory is one piece, in the order in which it is read.
typedef struct CnPathBlock {
    CnSweepBlock item; // its law, with W_aa as joints leave it
    CnRowPath path;
    int index;      // in the problem
    bool acts;      // grade: it has an impulse, or needs one
    int age;        // sweeps since its momentum began or turned
    double slip[2]; // of a contact that slid: the direction of friction, of length one; else zero
    double* base;   // u without the impulses of rows outside   [rows]
    double* soft;   // compliance   [rows]
    double* p;      // impulse   [rows]
    double* ahead;  // extrapolated, for the next sweep   [rows]
    double* w;      // W_aa   [rows * rows]
    double* own;    // of its bodies alone, as the certificate has it   [rows * rows]
    double own_largest;
    double residual; // grade: as the certificate has it [m/s]
    int root[2];     // of the trees that its first two sides are on, -1: none
} CnPathBlock;

typedef struct CnPaths {
    const CnMachine* machine;
    const CnProblem* problem;
    bool carries;                   // momentum of blocks is that kept by the machine
    const CnPathProducts* products; // for the registers of this processor
    int count;                      // of blocks outside
    CnPathBlock** blocks;           // NULL: it has never acted   [count]
    int acting_count;               // grade: blocks that have an impulse, or need one ...
    CnPathBlock** acting;           // ... in the order of blocks   [count]
    int* place;                     // of each axis in y   [axes]
    int places;                     // of y
    double* y;                      // Y^T (p - impulses that `base` has felt)   [places]
    double* y_ahead;                // Y^T (ahead - p)   [places]
    double* p;                      // grade: impulses   [row_count]
    double* share;                  // of momentum, by age: (60)
    int oldest;                     // the last of them
    double (*moved)[6];             // the links, without impulses of rows outside   [links]
    double worst, rms;              // grade: of the residuals [m/s]
    int worst_block;                // grade: place of the block with the worst one
    double work_of_grade, work;     // grade: multiplications of itself, and of a sweep

    // Private.
    double* along;      // y by axes   [axes]
    double (*twist)[6]; // of the links   [links]
    double* scratch;    // zero between calls   [max(places, 4 * axes)]
    int* four;   // of a path that is written: its number + 1, zero between calls   [places / 4]
    int* listed; // the places of these fours   [places / 4]
} CnPaths;

// Of all blocks outside of a machine that is factored and has moved; p is its guess. `most`: the
// largest share of momentum. Memory from the arena.
CnStatus cn_paths_prepare(const CnMachine* machine, double most, CnArena* arena, CnPaths* paths);

// One sweep: extrapolates the impulses of all blocks that act, then solves one after the other.
void cn_paths_sweep(CnPaths* paths);

// u of a block at the present impulses.
void cn_paths_read(const CnPaths* paths, const CnPathBlock* it, double* u);

// The impulse of a block from outside; its momentum begins anew.
void cn_paths_set(CnPathBlock* it, const double* p);

// All impulses from outside; momentum begins anew. Grades.   p: [row_count]
CnStatus cn_paths_restart(CnPaths* paths, const double* p, CnArena* arena);

// y anew from the impulses, residuals of all blocks, and which of them act.
CnStatus cn_paths_grade(CnPaths* paths, CnArena* arena);

// The age of all blocks, 0 of those that do not act, and extrapolated impulses of the others.
// age: [block_count]; ahead: [row_count]
void cn_paths_keep_momentum(const CnPaths* paths, int* age, double* ahead);

// The response of some blocks to each other, without compliance: W = Y Y^T.
// list: places of blocks that act   [count]; w: row-major   [rows of them all, squared]
void cn_paths_response(CnPaths* paths, const int* list, int count, int rows, double* w);
