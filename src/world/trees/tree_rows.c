// tree_rows.c - rows of the joints of trees in the problem of a step, from what was read of them.
#include "constraints/joints/user_rows.h"
#include "constraints/problem/block.h"
#include "world/trees/compact_rows.h"
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

static void write_other_rows(const CnTreeLink* link, double (*row_a)[6], double (*row_b)[6]) {
    size_t bytes = (size_t)link->row_count * sizeof *row_a;
    bool is_b = link->sign > 0.0;
    memcpy(row_a, is_b ? link->rows->other : link->rows->jacobian, bytes);
    memcpy(row_b, is_b ? link->rows->jacobian : link->rows->other, bytes);
}

// Compact rows of the next block. NULL: no memory.
static CnCompactRows* add_compact(CnWorld* world, const CnTreeLink* link) {
    CnRows* rows = &world->step.rows;
    if (!cn_array_reserve(&rows->compact, &world->allocator, rows->compact.count + 1)) {
        return NULL;
    }
    CnCompactRows* compact = &rows->compact.data[rows->compact.count++];
    compact->block = rows->blocks.count;
    compact->is_written = false;
    memcpy(compact->axes, link->axes, sizeof compact->axes);
    memcpy(compact->turn, link->turn, sizeof compact->turn);
    compact->arm_a = cn_tree_arm_a(link);
    compact->arm_b = cn_tree_arm_b(link);
    return compact;
}

bool cn_tree_can_pose(const CnWorld* world, const CnPosing* posing, int slot) {
    const CnTreeLink* joint = world->trees->joints[slot];
    return joint != NULL && joint->is_steady && keeps_rates(world, posing) && has_size(joint);
}

// The rates of all rows for the velocities before the step, where rows are written.
static void find_rates(const CnTreeLink* link, const CnPosing* posing, const CnRows* rows,
                       int first_row, double* rate) {
    const CnBodyState *a = cn_tree_state_at(posing->states, link->body_a),
                      *b = cn_tree_state_at(posing->states, link->body_b);
    for (int k = 0; k < link->row_count; ++k) {
        rate[k] = cn_row_rate(rows->jacobian_a[first_row + k], a) +
                  cn_row_rate(rows->jacobian_b[first_row + k], b);
    }
}

// The same from compact rows.
static void find_compact_rates(const CnTreeLink* link, const CnPosing* posing,
                               const CnCompactRows* compact, double* rate) {
    double a[6], b[6];
    cn_tree_velocity(cn_tree_state_at(posing->states, link->body_a), a);
    cn_tree_velocity(cn_tree_state_at(posing->states, link->body_b), b);
    cn_compact_rates(compact, link->row_count, a, b, rate);
}

// The world has no velocity.
static void clear_world(const CnTreeLink* link, const CnRows* rows, int first_row) {
    double(*none)[6] = link->body_a < 0   ? rows->jacobian_a + first_row
                       : link->body_b < 0 ? rows->jacobian_b + first_row
                                          : NULL;
    if (none != NULL) {
        memset(none, 0, (size_t)link->row_count * sizeof *none);
    }
}

static CnBlockSource source_of(const CnTreeLink* link, int slot) {
    CnBlockSource source = {.manifold = -1,
                            .given = -1,
                            .constraint = slot,
                            .generation = link->generation,
                            .rows = {0, 1, 2, 3, 4, 5}};
    memset(source.rows + link->row_count, 0, sizeof source.rows - (size_t)link->row_count);
    return source;
}

CnStatus cn_tree_pose_joint(CnWorld* world, const CnPosing* posing, int slot) {
    CnRows* rows = &world->step.rows;
    const CnTreeLink* link = world->trees->joints[slot];
    CnBlockSource source = source_of(link, slot);
    double rate[CN_MAX_ROWS], back = (1.0 - posing->theta) / posing->theta;
    if (link->form != CN_FORM_OTHER) {
        const CnCompactRows* compact = add_compact(world, link);
        if (compact == NULL) {
            return CN_NO_MEMORY;
        }
        source.compact = rows->compact.count;
        find_compact_rates(link, posing, compact, rate);
    }
    CnBlock* block =
        cn_rows_add_bare(rows, &world->allocator, CN_LAW_EQUALITY, link->row_count, source);
    if (block == NULL) {
        return CN_NO_MEMORY;
    }
    int first = block->first_row;
    block->key = link->key;
    block->body_a = link->body_a;
    block->body_b = link->body_b;
    if (link->form == CN_FORM_OTHER) {
        write_other_rows(link, rows->jacobian_a + first, rows->jacobian_b + first);
        find_rates(link, posing, rows, first, rate);
        clear_world(link, rows, first);
    }
    for (int k = 0; k < link->row_count; ++k) {
        rows->target[first + k] = -(back * (0.0 + rate[k])); // no minus zero
    }
    return CN_OK;
}

// x^T A x for a symmetric A.
static double quadratic(const double a[9], CnVec3 x) {
    return (a[0] * x.x * x.x + a[4] * x.y * x.y) +
           (a[8] * x.z * x.z + 2.0 * (a[1] * x.x * x.y + a[2] * x.x * x.z + a[5] * x.y * x.z));
}

// One body's part: mechanisms.md (44).
static double trace_at(const CnStep* step, const CnTreeLink* link, int body, CnVec3 r) {
    if (body < 0) {
        return 0.0;
    }
    const double* inverse = step->inverse_inertia[body];
    double turns = inverse[0] + inverse[4] + inverse[8];
    double trace =
        3.0 * step->inverse_mass[body] + (cn_vec3_dot(r, r) * turns - quadratic(inverse, r));
    for (int k = 0; link->form == CN_FORM_HINGE && k < 2; ++k) {
        trace += quadratic(inverse, link->turn[k]);
    }
    return trace;
}

double cn_tree_joint_trace(const CnStep* step, const CnTreeLink* link) {
    return trace_at(step, link, link->body_a, cn_tree_arm_a(link)) +
           trace_at(step, link, link->body_b, cn_tree_arm_b(link));
}

// The joint of a tree whose rows a block has; NULL: none that keeps a point.
static const CnTreeLink* joint_of_block(const CnWorld* world, int index) {
    const CnBlock* block = &world->step.rows.blocks.data[index];
    int slot = world->step.rows.sources.data[index].constraint;
    const CnTreeLink* joint = slot < 0 ? NULL : world->trees->joints[slot];
    bool is_whole = joint != NULL && joint->form != CN_FORM_OTHER &&
                    block->law == CN_LAW_EQUALITY && block->row_count == joint->row_count;
    return is_whole ? joint : NULL;
}

// Whether a block has the one row of the block before it: motor and stop of an axis do.
static bool repeats_row(const CnProblem* problem, int index) {
    const CnBlock *own = &problem->blocks[index], *last = own - 1;
    return index > 0 && own->row_count == 1 && last->row_count == 1 &&
           own->body_a == last->body_a && own->body_b == last->body_b &&
           !cn_block_has_second(own) && !cn_block_has_second(last) &&
           memcmp(problem->jacobian_a[own->first_row], problem->jacobian_a[last->first_row],
                  sizeof(double[6])) == 0 &&
           memcmp(problem->jacobian_b[own->first_row], problem->jacobian_b[last->first_row],
                  sizeof(double[6])) == 0;
}

double cn_trees_explicit_trace(CnWorld* world) {
    CnProblem problem = cn_step_explicit_problem(world);
    bool uses_trees = cn_trees_are_at(world, CN_TREES_POSED);
    double trace = 0.0, last = 0.0; // last: of one row, without its compliance
    for (int i = 0; i < problem.block_count; ++i) {
        const CnBlock* block = &problem.blocks[i];
        const CnTreeLink* joint = uses_trees ? joint_of_block(world, i) : NULL;
        double softness = block->row_count == 1 ? problem.compliance[block->first_row] : 0.0, own;
        if (joint != NULL) {
            own = cn_tree_joint_trace(&world->step, joint);
        } else if (uses_trees && repeats_row(&problem, i)) {
            own = softness + last;
        } else {
            own = cn_block_trace(&problem, block);
            last = own - softness;
        }
        world->step.block_trace.data[i] = own;
        trace += own;
    }
    return trace;
}
