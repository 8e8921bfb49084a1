// trees.h - worlds for tests of kept trees.
#pragma once

#include "solvers/tree/machine_parts.h"
#include "support/run.h"
#include "world/trees/tree_store.h"

// A scene after 20 steps of 1 ms; joints are as they were read at the end of the last one.
CnWorld* trees_open_moving(const char* scene);
