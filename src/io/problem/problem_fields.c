// problem_fields.c - one table for each object of a problem file; docs/problem-file.md.
#include "io/problem/problem_fields.h"

#include <math.h>

static const char* law_name(int law) {
    return cn_law_name((CnLaw)law);
}

static const CnJsonField file_fields[] = {
    {"cairn_problem", CN_FIELD_INTEGER, .offset = offsetof(CnProblemFileFields, version),
     .required = true},
    {"bodies", CN_FIELD_VALUE, .offset = offsetof(CnProblemFileFields, bodies), .required = true},
    {"blocks", CN_FIELD_VALUE, .offset = offsetof(CnProblemFileFields, blocks), .required = true},
    {"response", CN_FIELD_VALUE, .offset = offsetof(CnProblemFileFields, response)},
    {"masses", CN_FIELD_VALUE, .offset = offsetof(CnProblemFileFields, masses)},
};

static const CnJsonField body_fields[] = {
    {"inverse_mass", CN_FIELD_NUMBER, .offset = offsetof(CnProblemBodyFields, inverse_mass),
     .required = true, .unit = "1/kg"},
    {"inverse_inertia", CN_FIELD_VALUE, .offset = offsetof(CnProblemBodyFields, inverse_inertia)},
    {"free_velocity", CN_FIELD_NUMBERS, .offset = offsetof(CnProblemBodyFields, free_velocity),
     .count = 6, .unit = "m/s and rad/s"},
};

static const CnJsonField block_fields[] = {
    {"name", CN_FIELD_TEXT, .offset = offsetof(CnProblemBlockFields, name)},
    {"law", CN_FIELD_CHOICE, .offset = offsetof(CnProblemBlockFields, law), .required = true,
     .count = CN_LAW_COUNT, .choice_name = law_name},
    {"bodies", CN_FIELD_VALUE, .offset = offsetof(CnProblemBlockFields, bodies), .required = true},
    {"friction", CN_FIELD_NUMBER, .offset = offsetof(CnProblemBlockFields, friction)},
    {"key", CN_FIELD_VALUE, .offset = offsetof(CnProblemBlockFields, key)},
    {"rows", CN_FIELD_VALUE, .offset = offsetof(CnProblemBlockFields, rows), .required = true},
};

static const CnJsonField row_fields[] = {
    {"jacobian_a", CN_FIELD_NUMBERS, .offset = offsetof(CnProblemRowFields, jacobian_a),
     .count = 6},
    {"jacobian_b", CN_FIELD_NUMBERS, .offset = offsetof(CnProblemRowFields, jacobian_b),
     .count = 6},
    {"jacobian_c", CN_FIELD_NUMBERS, .offset = offsetof(CnProblemRowFields, jacobian_c),
     .count = 6},
    {"jacobian_d", CN_FIELD_NUMBERS, .offset = offsetof(CnProblemRowFields, jacobian_d),
     .count = 6},
    {"target", CN_FIELD_NUMBER, .offset = offsetof(CnProblemRowFields, target), .unit = "m/s"},
    {"compliance", CN_FIELD_NUMBER, .offset = offsetof(CnProblemRowFields, compliance),
     .unit = "1/kg"},
    {"lower", CN_FIELD_BOUND, .offset = offsetof(CnProblemRowFields, lower), .unit = "N s"},
    {"upper", CN_FIELD_BOUND, .offset = offsetof(CnProblemRowFields, upper), .unit = "N s"},
    {"offset", CN_FIELD_NUMBER, .offset = offsetof(CnProblemRowFields, offset), .unit = "N s"},
    {"slope", CN_FIELD_NUMBER, .offset = offsetof(CnProblemRowFields, slope), .unit = "kg"},
};

const CnFieldTable cn_problem_file_table = CN_FIELD_TABLE("a problem file", file_fields);
const CnFieldTable cn_problem_body_table = CN_FIELD_TABLE("a body", body_fields);
const CnFieldTable cn_problem_block_table = CN_FIELD_TABLE("a block", block_fields);
const CnFieldTable cn_problem_row_table = CN_FIELD_TABLE("a row", row_fields);

CnProblemRowFields cn_problem_default_row(CnLaw law) {
    return (CnProblemRowFields){.upper = law == CN_LAW_BOUNDS ? HUGE_VAL : 0.0};
}
