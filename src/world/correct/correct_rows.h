// correct_rows.h - the rows of a position correction: what each error asks of the displacements.
#pragma once

#include "world/correct/position_errors.h"

// Rows of the errors that the last measurement found, at the same states, into
// world->correction.rows; and world->correction.problem as the view of them.
// docs/theory/stabilisation.md (1), (2). Rows that act on none of the wanted bodies are left out.
CnStatus cn_correction_build_rows(CnWorld* world, const CnBodyState* states, CnInstant instant,
                                  const bool* wanted);

// The same without rows of constraints; and whether a constraint would have some.
CnStatus cn_correction_build_contacts(CnWorld* world, const CnBodyState* states,
                                      const bool* wanted);
bool cn_correction_asks(const CnWorld* world, int slot, CnInstant instant);

// The rows in world->correction as a problem at the given poses; correction.free_velocity is the
// caller's to fill. Those that are not wanted have no inertia; without wanted, NULL, all have.
// There is room: cn_motion_reserve_correction().
void cn_correction_view(CnWorld* world, const CnBodyState* states, const bool* wanted);

// What displacements and impulses of that problem leave of its equalities: the largest of a
// constraint in each island [m or rad]. left: zeroed   [islands]; group: island of each body that
// moves, -1: none   [bodies]
void cn_correction_find_left(const CnWorld* world, const int* group, double* left);
