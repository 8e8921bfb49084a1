// friction_contender.h - what solves frictional contact problems, ours and others', in one shape.
#pragma once

#include "cairn/problem.h"

typedef struct FrictionContender FrictionContender;
struct FrictionContender {
    const char* name;
    const char* solver; // ours: the name in the registry
    int id;             // others': their number of the solver
    int dimension;      // of contacts: 2 or 3; 0: both

    // Sets up what is not part of solving; NULL when the problem cannot be given to it. The state
    // is used for any number of solves and never freed: its process ends.
    void* (*prepare)(const FrictionContender* self, const CnProblem* problem);

    // From zero to the tolerance. Returns the iterations it took.
    int (*solve)(const FrictionContender* self, void* state, double tolerance, double* impulse);

    // From zero, so many sweeps over all contacts and no more; NULL: it does not sweep.
    void (*sweep)(const FrictionContender* self, void* state, int sweeps, double* impulse);
};

const FrictionContender* friction_cairn(int* count);
const FrictionContender* friction_siconos(int* count);
