// spelling.h - the name a misspelt word was probably meant to be.
#pragma once

#include "cairn/base.h"

// The nearest of names [count], the first of several as near; NULL when none is near. Near means
// at most a third of the letters (and always one) inserted, deleted, replaced or swapped with a
// neighbour; capitals do not count.
const char* cn_nearest_name(const char* word, const char* const* names, int count);
