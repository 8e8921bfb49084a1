// validation.h - cases with a known answer, and the rows they leave behind.
//
// A case is a function that simulates, measures and adds one row per quantity:
//
//     static void free_fall(Validation* validation) {
//         ...
//         validation_add(validation, "height [m]", 5.095, state.center.z, 1e-11);
//     }
//
// Cases of one subject make a group in one file of validate/; a new group is one more line of the
// table in validation.c. References have a source and tolerances a derivation, in a comment.
#pragma once

#include "cairn/cairn.h"

typedef struct ValidationRow {
    const char* name;                            // of the case
    char quantity[sizeof((CnError){0}.message)]; // with its unit; or why nothing was measured
    double reference, value, error, tolerance;
    bool ran; // false: the numbers mean nothing
    bool pass;
} ValidationRow;

// Collects rows; the case that runs is named by whoever runs it.
typedef struct Validation {
    const char* running;
    ValidationRow* rows; // [count]
    int count, capacity;
    bool out_of_memory; // rows are missing
} Validation;

typedef struct ValidationCase {
    const char* name;    // "head-on"; unique
    const char* summary; // one line, no full stop
    void (*run)(Validation* validation);
} ValidationCase;

typedef struct ValidationGroup {
    const char* name; // names all its cases at once on the command line
    const ValidationCase* cases;
    int count;
} ValidationGroup;

#define VALIDATION_GROUP(group_name, table)                                                        \
    { group_name, table, (int)(sizeof(table) / sizeof((table)[0])) }

// Passes when |value - reference| <= tolerance; not a number never passes.
void validation_add(Validation* validation, const char* quantity, double reference, double value,
                    double tolerance);

// The library would not run the case: a row that fails and says why.
void validation_add_failure(Validation* validation, const CnError* error);

void validation_release(Validation* validation);

// All cases, group by group; NULL after the last. *group (may be NULL) gets the one it belongs to.
const ValidationCase* validation_case_at(int index, const ValidationGroup** group);

extern const ValidationGroup validation_collisions;
extern const ValidationGroup validation_supports;
extern const ValidationGroup validation_friction;
extern const ValidationGroup validation_slopes;
extern const ValidationGroup validation_masonry;
extern const ValidationGroup validation_rotation;
extern const ValidationGroup validation_mechanisms;
extern const ValidationGroup validation_drives;
extern const ValidationGroup validation_transmissions;
extern const ValidationGroup validation_linkages;
extern const ValidationGroup validation_implicit;
extern const ValidationGroup validation_explicit;
