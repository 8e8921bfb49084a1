// problem_fields.h - the keys of problem files, for loading and for saving.
#pragma once

#include "cairn/problem.h"
#include "io/text/fields.h"

#define CN_PROBLEM_FORMAT_VERSION 1

typedef struct CnProblemFileFields {
    int version;
    const CnJson *bodies, *blocks, *response, *masses;
} CnProblemFileFields;

typedef struct CnProblemBodyFields {
    double inverse_mass;
    double free_velocity[6];
    const CnJson* inverse_inertia;
} CnProblemBodyFields;

typedef struct CnProblemBlockFields {
    const char* name;
    CnLaw law;
    double friction;
    const CnJson *bodies, *key, *rows;
} CnProblemBlockFields;

typedef struct CnProblemRowFields {
    double jacobian_a[6], jacobian_b[6], jacobian_c[6], jacobian_d[6];
    double target, compliance, lower, upper, offset, slope;
} CnProblemRowFields;

extern const CnFieldTable cn_problem_file_table;  // fills CnProblemFileFields
extern const CnFieldTable cn_problem_body_table;  // fills CnProblemBodyFields
extern const CnFieldTable cn_problem_block_table; // fills CnProblemBlockFields
extern const CnFieldTable cn_problem_row_table;   // fills CnProblemRowFields

// The defaults of a row: a unilateral bound for laws with bounds.
CnProblemRowFields cn_problem_default_row(CnLaw law);
