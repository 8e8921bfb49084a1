// correct_limits.h - how exactly a correction puts positions right, and how much work it may take.
#pragma once

#include "world/world.h"

// To which errors are put right: (12) [m or rad].
double cn_correction_tolerance(const CnWorld* world);

// Multiplications that all passes of a correction may take together: (13), (14). pass_rows: of the
// last pass, 0 before the first one has posed its rows; has_net: it may have one.
double cn_correction_budget(const CnWorld* world, bool ahead, int pass_rows, bool has_net,
                            const CnStepReport* report);

// The rows of a net are nearly dependent wherever it bends. A pass is one damped step,
// mechanisms.md (65), which leaves errors along such rows; more passes do too. It is the last one
// of a net if it leaves more than half of the error and its rows ask for that still (unsolved: what
// the answer leaves of straight rows [m or rad]), or the one before it gained nothing or was
// shortened (was_slow).
bool cn_net_pass_is_last(double before, double after, double unsolved, bool was_slow);
