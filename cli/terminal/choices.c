// choices.c - the names the library gives its solvers, schemes and others, as choices of options.
#include "terminal/choices.h"

#include "cairn/solver.h"
#include "cairn/world.h"

#include <string.h>

const char* choice_solver(int index) {
    return index < cn_solver_count() ? cn_solver_at(index).name : NULL;
}

const char* choice_scheme(int index) {
    return index < CN_SCHEME_COUNT ? cn_scheme_name((CnScheme)index) : NULL;
}

const char* choice_stabilisation(int index) {
    return index < CN_STABILISATION_COUNT ? cn_stabilisation_name((CnStabilisation)index) : NULL;
}

const char* choice_measure(int index) {
    return index < CN_ERROR_COUNT ? cn_error_measure_name((CnErrorMeasure)index) : NULL;
}

const char* choice_friction(int index) {
    return index < CN_FRICTION_COUNT ? cn_friction_model_name((CnFrictionModel)index) : NULL;
}

int choice_find(const char* (*choice)(int index), const char* name) {
    for (int i = 0; choice(i) != NULL; ++i) {
        if (strcmp(choice(i), name) == 0) {
            return i;
        }
    }
    return -1;
}
