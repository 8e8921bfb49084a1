// correct_along_trees.h - displacements that put one tree of joints in contact right, along it.
#pragma once

#include "cairn/solver.h"
#include "world/correct/position_errors.h"

// The displacements of all wanted bodies, into world->correction.displacement, that the errors of
// the last measurement ask for, as the rows of correct_rows.h would have it: joints by the tree,
// contacts as rows from outside. *found is false when the wanted bodies are not one tree at its end
// poses and a few on none, when stops are near, or when contacts miss the tolerance of the def.
// docs/theory/stabilisation.md (1), (2), mechanisms.md (55).
CnStatus cn_correct_along_trees(CnWorld* world, const CnBodyState* states, CnInstant instant,
                                const bool* wanted, const CnSolverDef* def, double* work,
                                bool* found);
