// tree_rows.c - rows of the joints of trees in the problem of a step, from what was read of them.
#include "constraints/joints/user_rows.h"
#include "world/trees/tree_store.h"

#include <math.h>
#include <string.h>

// Whether a joint is asked for rates alone, those of moreau.md (10).
static bool keeps_rates(const CnWorld* world, const CnPosing* posing) {
    return !posing->instant && !posing->position_level && posing->start == NULL &&
           world->def.step.stabilisation != CN_STABILISATION_BAUMGARTE;
}

// A row without an entry of any size would have to be left out.
static bool has_size(const CnTreeLink* link) {
    double least = 1.0;
    for (int k = 0; link->form == CN_FORM_HINGE && k < 2; ++k) {
        least = fmin(least, cn_vec3_dot(link->turn[k], link->turn[k]));
    }
    for (int k = 0; link->form == CN_FORM_OTHER && k < link->row_count; ++k) {
        double square = 0.0;
        for (int j = 0; j < 6; ++j) {
            square += link->rows->jacobian[k][j] * link->rows->jacobian[k][j];
        }
        least = fmin(least, square);
    }
    return least > 0.5; // directions and gradients of angles are about as long as one
}

static void write_rows(const CnTreeLink* link, double (*row_a)[6], double (*row_b)[6]) {
    if (link->form == CN_FORM_OTHER) {
        size_t bytes = (size_t)link->row_count * sizeof *row_a;
        bool is_b = link->sign > 0.0;
        memcpy(row_a, is_b ? link->rows->other : link->rows->jacobian, bytes);
        memcpy(row_b, is_b ? link->rows->jacobian : link->rows->other, bytes);
        return;
    }
    cn_write_point_rows(&link->view, row_a, row_b);
    if (link->form == CN_FORM_HINGE) {
        cn_write_turn_rows(link->turn, 2, row_a + 3, row_b + 3);
    }
}

bool cn_tree_can_pose(const CnWorld* world, const CnPosing* posing, int slot) {
    const CnTreeLink* joint = world->trees->joints[slot];
    return joint != NULL && joint->is_steady && keeps_rates(world, posing) && has_size(joint);
}

CnStatus cn_tree_pose_joint(CnWorld* world, const CnPosing* posing, int slot) {
    CnRows* rows = &world->step.rows;
    const CnTreeLink* link = world->trees->joints[slot];
    CnBlockSource source = {.manifold = -1,
                            .given = -1,
                            .constraint = slot,
                            .generation = link->generation,
                            .rows = {0, 1, 2, 3, 4, 5}};
    memset(source.rows + link->row_count, 0, sizeof source.rows - (size_t)link->row_count);
    CnBlock* block = cn_rows_add(rows, &world->allocator, CN_LAW_EQUALITY, link->row_count, source);
    if (block == NULL) {
        return CN_NO_MEMORY;
    }
    double(*row_a)[6] = rows->jacobian_a + block->first_row;
    double(*row_b)[6] = rows->jacobian_b + block->first_row;
    const CnBodyState *a = cn_tree_state_at(posing->states, link->body_a),
                      *b = cn_tree_state_at(posing->states, link->body_b);
    double back = (1.0 - posing->theta) / posing->theta;
    block->key = link->key;
    block->body_a = link->body_a;
    block->body_b = link->body_b;
    write_rows(link, row_a, row_b);
    for (int k = 0; k < link->row_count; ++k) {
        double rate = 0.0 + (cn_row_rate(row_a[k], a) + cn_row_rate(row_b[k], b)); // no minus zero
        rows->target[block->first_row + k] = -(back * rate);
    }
    double(*none)[6] = link->body_a < 0 ? row_a : link->body_b < 0 ? row_b : NULL;
    if (none != NULL) { // the world has no velocity
        memset(none, 0, (size_t)link->row_count * sizeof *none);
    }
    return CN_OK;
}

// x^T A x for a symmetric A.
static double quadratic(const double a[9], CnVec3 x) {
    return (a[0] * x.x * x.x + a[4] * x.y * x.y) +
           (a[8] * x.z * x.z + 2.0 * (a[1] * x.x * x.y + a[2] * x.x * x.z + a[5] * x.y * x.z));
}

// One body's part: mechanisms.md (44).
static double trace_at(const CnStep* step, const CnTreeLink* link, int body, CnVec3 center) {
    if (body < 0) {
        return 0.0;
    }
    const double* inverse = step->inverse_inertia[body];
    CnVec3 r = cn_vec3_sub(link->view.frame_b.position, center);
    double turns = inverse[0] + inverse[4] + inverse[8];
    double trace =
        3.0 * step->inverse_mass[body] + (cn_vec3_dot(r, r) * turns - quadratic(inverse, r));
    for (int k = 0; link->form == CN_FORM_HINGE && k < 2; ++k) {
        trace += quadratic(inverse, link->turn[k]);
    }
    return trace;
}

double cn_tree_joint_trace(const CnStep* step, const CnTreeLink* link) {
    return trace_at(step, link, link->body_a, link->view.center_a) +
           trace_at(step, link, link->body_b, link->view.center_b);
}
