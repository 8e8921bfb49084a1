// sort.h - sorting of indices by a comparison with a context, without asking for memory.
#pragma once

#include <stdbool.h>

// A strict order: whether item a comes before item b.
typedef bool CnBeforeFunction(int a, int b, const void* context);

// Heap sort: n log n in the worst case. Not stable: let the order tell equal things apart.
void cn_sort(int* items, int count, CnBeforeFunction* before, const void* context);
