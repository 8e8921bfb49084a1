// scene_mistakes.h - tables of mistakes in scene files, and what must be said about each.
#pragma once

#include "support/test.h"

// Where the mistake is put. %s is on line 2 at the top level and on line 5 elsewhere.
typedef enum Place { TOP, MATERIALS, SERIES, BODIES, CONTACTS, CONSTRAINTS, FORCES, EXCLUDE } Place;

typedef struct Mistake {
    Place place;
    const char* text;
    int line;
    const char* path;
    const char* words;
} Mistake;

#define MASS "\"mass\": 1, \"inertia\": [1, 1, 1]"

// Each is refused with its line, place and reason, by one sentence: what refers to a thing that
// failed is not blamed for it.
void check_mistakes(const Mistake* mistakes, int count);
