// validation.c - cases with a known answer, and the rows they leave behind.
#include "validate/validation.h"

#include <stdio.h>
#include <stdlib.h>

static const ValidationGroup* const groups[] = {
    &validation_collisions,    &validation_supports, &validation_friction,   &validation_slopes,
    &validation_masonry,       &validation_rotation, &validation_mechanisms, &validation_drives,
    &validation_transmissions, &validation_linkages, &validation_implicit,   &validation_explicit,
};

const ValidationCase* validation_case_at(int index, const ValidationGroup** group) {
    int group_count = (int)(sizeof groups / sizeof groups[0]);
    for (int i = 0; i < group_count; ++i) {
        if (index < groups[i]->count) {
            if (group != NULL) {
                *group = groups[i];
            }
            return &groups[i]->cases[index];
        }
        index -= groups[i]->count;
    }
    return NULL;
}

// A new row of the running case, or NULL when memory ran out.
static ValidationRow* add_row(Validation* validation, const char* quantity) {
    if (validation->count == validation->capacity) {
        int capacity = validation->capacity > 0 ? 2 * validation->capacity : 64;
        ValidationRow* rows = realloc(validation->rows, (size_t)capacity * sizeof *rows);
        if (rows == NULL) {
            validation->out_of_memory = true;
            return NULL;
        }
        validation->rows = rows;
        validation->capacity = capacity;
    }
    ValidationRow* row = &validation->rows[validation->count++];
    *row = (ValidationRow){.name = validation->running};
    snprintf(row->quantity, sizeof row->quantity, "%s", quantity);
    return row;
}

void validation_add(Validation* validation, const char* quantity, double reference, double value,
                    double tolerance) {
    ValidationRow* row = add_row(validation, quantity);
    if (row != NULL) {
        row->reference = reference;
        row->value = value;
        row->error = fabs(value - reference);
        row->tolerance = tolerance;
        row->ran = true;
        row->pass = row->error <= tolerance;
    }
}

void validation_add_failure(Validation* validation, const CnError* error) {
    add_row(validation, error->message);
}

void validation_release(Validation* validation) {
    free(validation->rows);
    *validation = (Validation){.rows = NULL};
}
