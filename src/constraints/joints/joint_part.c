// joint_part.c - the constraints a joint is made of: kept rows, limits, motors, springs, friction.
#include "constraints/joints/joint_draft.h"

#include "constraints/joints/user_rows.h"

#include <stddef.h>
#include <string.h>

_Static_assert(offsetof(CnKeptPart, rows) == sizeof(CnJointPart), "rows follow the head");
_Static_assert(offsetof(CnPrescribedPart, rows) == sizeof(CnJointPart), "rows follow the head");
_Static_assert(offsetof(CnAxisPart, row) == sizeof(CnJointPart), "rows follow the head");

size_t cn_kept_part_size(int row_count) {
    return sizeof(CnJointPart) + (size_t)row_count * sizeof(CnJointRow);
}

CnJointRow* cn_joint_part_rows(CnJointPart* part) {
    return (CnJointRow*)(void*)(part + 1);
}

static const CnJointRow* rows_of(const CnJointPart* part) {
    return (const CnJointRow*)(const void*)(part + 1);
}

// ---- rows ----

double cn_joint_row_value(const CnJointRow* row, const CnJointView* view) {
    double value = -row->shift;
    for (int i = 0; i < row->term_count; ++i) {
        const CnJointTerm* term = &row->terms[i];
        value += term->factor * cn_measure_value(term->measure, view, term->near);
    }
    return value;
}

void cn_joint_row_jacobian(const CnJointRow* row, const CnJointView* view, double row_a[6],
                           double row_b[6]) {
    for (int i = 0; i < row->term_count; ++i) {
        const CnMeasure* measure = row->terms[i].measure;
        measure->add_row(measure, view, row->terms[i].factor, row_a, row_b);
    }
}

static double row_times(const double row[6], const CnBodyState* state) {
    CnVec3 v = state->velocity, w = state->angular_velocity;
    return row[0] * v.x + row[1] * v.y + row[2] * v.z + row[3] * w.x + row[4] * w.y + row[5] * w.z;
}

double cn_joint_row_rate(const CnJointRow* row, const CnJointView* view, const CnBodyState* a,
                         const CnBodyState* b) {
    double row_a[6] = {0.0}, row_b[6] = {0.0};
    cn_joint_row_jacobian(row, view, row_a, row_b);
    return row_times(row_a, a) + row_times(row_b, b);
}

// ---- functions that all kinds share ----

void cn_part_coordinates(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                         double* value) {
    (void)time;
    const CnJointPart* part = data;
    CnJointView view = cn_joint_view(&part->frames, a, b);
    for (int i = 0; i < part->row_count; ++i) {
        value[i] = cn_joint_row_value(&rows_of(part)[i], &view);
    }
}

void cn_part_jacobian(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                      double* jacobian_a, double* jacobian_b) {
    (void)time;
    const CnJointPart* part = data;
    CnJointView view = cn_joint_view(&part->frames, a, b);
    for (int i = 0; i < part->row_count; ++i) {
        cn_joint_row_jacobian(&rows_of(part)[i], &view, &jacobian_a[6 * i], &jacobian_b[6 * i]);
    }
}

bool cn_part_is_active(const CnBodyState* a, const CnBodyState* b, double time, const void* data) {
    (void)a, (void)b, (void)time;
    return !((const CnJointPart*)data)->idle;
}

bool cn_part_is_grounded(const void* data) {
    const CnJointPart* part = data;
    for (int i = 0; i < part->row_count; ++i) {
        if (rows_of(part)[i].terms[0].measure->is_grounded) {
            return true;
        }
    }
    return false;
}

// Angles that count on remember where they are. Parts of one axis measure the same.
static void advance_rows(CnJointPart* part, CnJointLook* look) {
    for (int i = 0; i < part->row_count; ++i) {
        CnJointRow* row = &cn_joint_part_rows(part)[i];
        for (int k = 0; k < row->term_count; ++k) {
            CnJointTerm* term = &row->terms[k];
            if (!term->measure->counts_on) {
                continue;
            }
            if (look->advanced.measure != term->measure || look->advanced.near != term->near) {
                look->advanced = *term;
                look->advanced_to = cn_measure_value(term->measure, &look->view, term->near);
            }
            term->near = look->advanced_to;
        }
    }
}

void cn_part_advance(const CnBodyState* a, const CnBodyState* b, double time, void* data) {
    (void)time;
    CnJointPart* part = data;
    CnJointLook look = {.view = cn_joint_view(&part->frames, a, b)};
    advance_rows(part, &look);
}

void cn_joint_part_advance(void* data, CnJointLook* look) {
    advance_rows(data, look);
}

bool cn_joint_part_counts(const void* data) {
    const CnJointPart* part = data;
    for (int i = 0; i < part->row_count; ++i) {
        const CnJointRow* row = &rows_of(part)[i];
        for (int k = 0; k < row->term_count; ++k) {
            if (row->terms[k].measure->counts_on) {
                return true;
            }
        }
    }
    return false;
}

// ---- rows kept ----

#define KEEP_KIND(lengths, angles)                                                                 \
    {                                                                                              \
        .kind = {                                                                                  \
            .name = "joint",                                                                       \
            .dimension = (lengths) + (angles),                                                     \
            .angular_rows = ((1u << (angles)) - 1u) << (lengths),                                  \
            .evaluate = cn_part_coordinates,                                                       \
            CN_PART_FUNCTIONS                                                                      \
        }                                                                                          \
    }

#define KEEP_KINDS(lengths)                                                                        \
    { KEEP_KIND(lengths, 0), KEEP_KIND(lengths, 1), KEEP_KIND(lengths, 2), KEEP_KIND(lengths, 3) }

const CnConstraintKind* cn_joint_keep_kind(int lengths, int angles) {
    static const CnPartKind kinds[4][4] = {KEEP_KINDS(0), KEEP_KINDS(1), KEEP_KINDS(2),
                                           KEEP_KINDS(3)};
    return &kinds[lengths][angles].kind;
}

// ---- all at once ----

bool cn_joint_row_is_same(const CnJointRow* a, const CnJointRow* b) {
    return a->term_count == 1 && b->term_count == 1 && a->terms[0].measure == b->terms[0].measure &&
           a->terms[0].near == b->terms[0].near && a->terms[0].factor == b->terms[0].factor &&
           a->shift == b->shift;
}

static void read_row(const CnJointRow* row, const CnJointView* view, unsigned what, int i,
                     CnConstraintReading* reading) {
    if ((what & CN_READ_VALUES) != 0) {
        reading->value[i] = cn_joint_row_value(row, view);
    }
    if ((what & CN_READ_JACOBIANS) != 0) {
        memset(reading->jacobian_a[i], 0, sizeof reading->jacobian_a[i]);
        memset(reading->jacobian_b[i], 0, sizeof reading->jacobian_b[i]);
        cn_joint_row_jacobian(row, view, reading->jacobian_a[i], reading->jacobian_b[i]);
    }
}

// The parts of an axis have the same row: it is looked at once.
static void read_only_row(const CnJointRow* row, unsigned what, CnJointLook* look,
                          CnConstraintReading* reading) {
    CnConstraintReading* known = &look->reading;
    if (look->found == 0 || !cn_joint_row_is_same(row, &look->row)) {
        look->row = *row;
        look->found = 0;
    }
    read_row(row, &look->view, what & ~look->found, 0, known);
    look->found |= what;
    if ((what & CN_READ_VALUES) != 0) {
        reading->value[0] = known->value[0];
    }
    if ((what & CN_READ_JACOBIANS) != 0) {
        memcpy(reading->jacobian_a[0], known->jacobian_a[0], sizeof known->jacobian_a[0]);
        memcpy(reading->jacobian_b[0], known->jacobian_b[0], sizeof known->jacobian_b[0]);
    }
}

// Where rows have the coordinates x. What the kind does not say stays as it is.
static void read_forces(const CnPartKind* self, double time, const void* data, const double* x,
                        double* lower, double* upper, double* stiffness, double* damping) {
    const CnConstraintKind* kind = &self->kind;
    if (self->bounds_at != NULL) {
        self->bounds_at(data, x, lower, upper);
    } else if (kind->force_bounds != NULL) { // bounds that do not depend on where the bodies are
        kind->force_bounds(NULL, NULL, time, data, lower, upper);
    }
    if (kind->softness != NULL) {
        kind->softness(NULL, NULL, time, data, stiffness, damping);
    }
}

void cn_joint_part_read(const CnConstraintKind* kind, double time, const void* data, unsigned what,
                        CnJointLook* look, CnConstraintReading* reading) {
    const CnPartKind* self = (const CnPartKind*)(const void*)kind;
    const CnJointPart* part = data;
    bool needs_value = (what & CN_READ_FORCES) != 0 && self->bounds_at != NULL;
    unsigned rows =
        (what & (CN_READ_VALUES | CN_READ_JACOBIANS)) | (needs_value ? CN_READ_VALUES : 0u);
    if (rows != 0 && part->row_count == 1) {
        read_only_row(rows_of(part), rows, look, reading);
    }
    if (rows != 0 && part->row_count > 1) {
        const CnJointRow* all = rows_of(part);
        int done = cn_read_frame_rows(all, part->row_count, &look->view, rows, reading);
        for (int i = done; i < part->row_count; ++i) {
            read_row(&all[i], &look->view, rows, i, reading);
        }
    }
    if ((what & CN_READ_FORCES) != 0) {
        cn_reading_clear_forces(reading, kind->dimension);
        read_forces(self, time, data, reading->value, reading->lower, reading->upper,
                    reading->stiffness, reading->damping);
    }
    if ((what & CN_READ_VALUES) != 0 && self->offset != NULL) {
        self->offset(data, time, reading->value);
    }
}

void cn_axis_part_read(const CnConstraintKind* kind, double time, const void* data, double x,
                       CnAxisReading* reading) {
    const CnPartKind* self = (const CnPartKind*)(const void*)kind;
    *reading = (CnAxisReading){.value = x, .lower = -INFINITY, .upper = INFINITY};
    read_forces(self, time, data, &x, &reading->lower, &reading->upper, &reading->stiffness,
                &reading->damping);
    if (self->offset != NULL) {
        self->offset(data, time, &reading->value);
    }
}

double cn_axis_part_value(const CnConstraintKind* kind, double time, const void* data, double x) {
    const CnPartKind* self = (const CnPartKind*)(const void*)kind;
    if (self->offset != NULL) {
        self->offset(data, time, &x);
    }
    return x;
}

bool cn_axis_part_yields(const CnConstraintKind* kind, double time, const void* data) {
    double stiffness = 0.0, damping = 0.0;
    if (kind->softness != NULL) {
        kind->softness(NULL, NULL, time, data, &stiffness, &damping);
    }
    return kind->force != NULL || stiffness > 0.0 || damping > 0.0;
}

bool cn_joint_part_is_angle(const CnJointPart* part) {
    const CnJointRow* row = rows_of(part);
    return part->row_count == 1 && row->term_count == 1 && row->terms[0].measure->is_angle &&
           fabs(row->terms[0].factor) == 1.0;
}

CnChannel cn_joint_part_channel(const CnConstraintKind* kind, const CnJointPart* part, int row) {
    CnChannel channel = cn_axis_part_channel(kind);
    return channel != CN_CHANNEL_COUNT ? channel : rows_of(part)[row].channel;
}
