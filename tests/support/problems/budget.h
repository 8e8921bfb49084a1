// budget.h - an unlimited budget, for tests of functions that solvers call.
#pragma once

#include "solvers/solve/budget.h"
#include <math.h>

static double unlimited_work; // multiplications counted by all tests of a program
static const CnBudget no_budget = {HUGE_VAL, &unlimited_work, 0.0};
