// solve_step.h - the solve stage: each island of the step gets its impulses, on all workers.
#pragma once

#include "world/step/solve.h"

// The stage cn_stage_solve() solves the tiles and explicit blocks of world->step, whose impulses
// are the guess: the answer replaces it, and world->step.velocity. Islands whose guess holds keep
// it. The result does not depend on the number of workers: islands are independent, and each is
// solved by one. CN_OK, or the status of an island that failed.
typedef struct CnStepSolve {
    const CnSolverDef* def;
    double share; // of the budget of each island; 1: all of it
    bool goes_on; // the guess is the last step's answer; start_velocity is known, and velocity is
                  // the free one
    CnIslandSummary summary;
    CnGradeSums grades; // of all blocks of the step
    double rho;         // the common step that they were graded with
} CnStepSolve;

// The arrays of the step as the tiles see them.
CnTileBodies cn_step_tile_bodies(const CnStep* step);

// The step's problem as one value, with the impulses as its guess; made when it is not there yet.
// NULL: no memory.
const CnAssembledStep* cn_step_assemble(CnWorld* world);

// Where a block of the step comes from, and its bodies. False: there is no such block.
bool cn_step_find_block(const CnWorld* world, int block, CnBlockSource* source, int* body_a,
                        int* body_b);

// The certificate and residuals of the impulses as they are, whoever found them. CN_OK or
// CN_NO_MEMORY.
CnStatus cn_step_certify(CnWorld* world);

// That of steps and islands that are not graded: no numbers, no block.
CnCertificate cn_certificate_of_nothing(void);

// The step has no contacts.
void cn_step_clear_contacts(CnStep* step);
