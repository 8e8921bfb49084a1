// warning.h - shortcomings of the steps of a world: by kind, counted.
//
//     CnWarning warning;
//     for (int i = 0; i < cn_world_warning_count(world); ++i) {
//         cn_world_warning_at(world, i, &warning);
//         printf("%s, %lld steps\n", warning.message, (long long)warning.count);
//     }
//
// The world's log gets the message of a kind once, at the end of the first step that has it; later
// steps are only counted. A step that fails, or a part of one that is undone, does not count.
#pragma once

#include "cairn/world.h"

typedef enum CnWarningKind {
    CN_WARNING_NOT_CONVERGED, // an island missed the tolerance of the solver
    CN_WARNING_INFEASIBLE,    // proved: no velocities satisfy an island, and a block asks for them
    CN_WARNING_POSITIONS_MISSED, // overlaps or joint errors that projection could not put right
    CN_WARNING_REDUNDANT_ROWS,   // rows that others imply: their forces are one choice of many
    CN_WARNING_INTEGRATION,      // turning a body made more than 1 % of its kinetic energy out of
                                 // nothing, or its gyroscopic impulse would double it: the rotation
                                 // update or the integrator is beyond its range
    CN_WARNING_KIND_COUNT
} CnWarningKind;

// "not_converged", "redundant_rows", ...
CN_API const char* cn_warning_kind_name(CnWarningKind kind);

typedef struct CnWarning {
    CnWarningKind kind;
    int64_t count;     // steps that had it; a step counts once, however many substeps had it
    int64_t step;      // the first of them, from 1: the first step of the world
    double time;       // at which its first (sub)step to have it began [s]
    char message[400]; // of that one; a sentence that names the likely cause
} CnWarning;

// The kinds that occurred, in the order of the enum.
CN_API int cn_world_warning_count(const CnWorld* world);

// CN_INVALID: index is not in [0, count).
CN_API CnStatus cn_world_warning_at(const CnWorld* world, int index, CnWarning* warning);
