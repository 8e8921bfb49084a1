// budget.h - a budget that never ends, for tests of parts that work on a solver's behalf.
#pragma once

#include "solvers/door/budget.h"
#include <math.h>

static double unlimited_work; // multiplications counted by all tests of a program
static const CnBudget no_budget = {HUGE_VAL, &unlimited_work, 0.0};
