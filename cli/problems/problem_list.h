// problem_list.h - the problem files that operands name: files, and what is in folders.
#pragma once

#include "cairn/base.h"

typedef struct ProblemList {
    char** paths; // of a folder in the order of the alphabet   [count]
    int count, capacity;
} ProblemList;

// A folder stands for its .json, .hdf5 and .h5 files, anything else for itself. When it fails
// problem_list_free() is still due.
bool problem_list_add(ProblemList* list, const char* operand, CnError* error);
void problem_list_free(ProblemList* list);
