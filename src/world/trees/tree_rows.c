// tree_rows.c - rows of the joints of trees in the problem of a step, from what was read of them.
#include "constraints/joints/joint_part.h"
#include "constraints/problem/block.h"
#include "math/simd.h"
#include "world/step/warm_start.h"
#include "world/trees/compact_rows.h"
#include "world/trees/tree_groups.h"

#include <math.h>
#include <string.h>

// Whether a joint is asked for rates alone, those of moreau.md (10).
bool cn_tree_keeps_rates(const CnWorld* world, const CnPosing* posing) {
    return !posing->instant && !posing->position_level && posing->start == NULL &&
           world->def.step.stabilisation != CN_STABILISATION_BAUMGARTE;
}

// Whether all rows of a joint have entries of some size.
static bool has_size(const CnTreeLink* link) {
    const double least = CN_TREE_LEAST_SQUARE;
    bool has = true;
    for (int k = 0; k < cn_tree_turn_count(link); ++k) {
        CnVec3 turn = cn_tree_turn(link, k);
        has = has && cn_vec3_dot(turn, turn) > least;
    }
    for (int k = 0; link->form == CN_FORM_OTHER && k < link->row_count; ++k) {
        double square = 0.0;
        for (int j = 0; j < 6; ++j) {
            square += link->rows->jacobian[k][j] * link->rows->jacobian[k][j];
        }
        has = has && square > least;
    }
    return has;
}

static void write_other_rows(const CnTreeLink* link, double (*row_a)[6], double (*row_b)[6]) {
    size_t bytes = (size_t)link->row_count * sizeof *row_a;
    bool is_b = link->sign > 0.0;
    memcpy(row_a, is_b ? link->rows->other : link->rows->jacobian, bytes);
    memcpy(row_b, is_b ? link->rows->jacobian : link->rows->other, bytes);
}

// The vectors of all rows; those after them are not read.
static void set_vectors(const CnTreeLink* link, CnVec3 vector[5]) {
    vector[0] = link->axes[0];
    vector[1] = link->axes[1];
    if (link->form == CN_FORM_SLIDER) {
        vector[2] = link->turn[0];
        vector[3] = link->turn[1];
        vector[4] = link->axis;
    } else {
        vector[2] = link->axes[2];
        vector[3] = link->turn[0];
        vector[4] = link->turn[1];
    }
}

// Compact rows of the next block. NULL: no memory.
static inline CnCompactRows* add_compact(CnWorld* world, const CnTreeLink* link) {
    CnRows* rows = &world->step.rows;
    if (rows->compact.count == rows->compact.capacity &&
        !cn_array_reserve(&rows->compact, &world->allocator, rows->compact.count + 1)) {
        return NULL;
    }
    CnCompactRows* compact = &rows->compact.data[rows->compact.count++];
    compact->block = rows->blocks.count;
    compact->is_written = false;
    compact->points = (uint8_t)cn_tree_point_count(link);
    set_vectors(link, compact->vector);
    compact->arm_a = cn_tree_arm_a(link);
    compact->arm_b = cn_tree_arm_b(link);
    return compact;
}

static inline bool can_pose(const CnWorld* world, int slot) {
    const CnTreeLink* joint = world->trees->joints[slot];
    if (joint != NULL && joint->group != NULL) { // it was looked at in cn_trees_begin_posing()
        return (joint->group->has_size >> joint->lane & 1u) != 0;
    }
    return joint != NULL && joint->is_steady && has_size(joint);
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

static CnBlockSource source_of(const CnTreeLink* link, int slot, CnPoolId id) {
    CnBlockSource source = {.manifold = -1,
                            .given = -1,
                            .constraint = slot,
                            .generation = id.generation,
                            .rows = {0, 1, 2, 3, 4, 5}};
    memset(source.rows + link->row_count, 0, sizeof source.rows - (size_t)link->row_count);
    return source;
}

static CnBlock* add_new_block(CnWorld* world, const CnTreeLink* link, int slot) {
    CnPoolId id = cn_pool_id_at(&world->constraints, slot);
    CnBlock* block = cn_rows_add_bare(&world->step.rows, &world->allocator, CN_LAW_EQUALITY,
                                      link->row_count, source_of(link, slot, id));
    if (block != NULL) {
        block->key = cn_constraint_key(id);
        block->body_a = link->body_a;
        block->body_b = link->body_b;
    }
    return block;
}

// The block of a joint: that of the last step, or a new one. NULL: no memory.
static inline CnBlock* add_joint_block(CnWorld* world, const CnTreeLink* link, int slot,
                                       int compact) {
    CnRows* rows = &world->step.rows;
    CnBlock* block = cn_rows_again(rows, slot);
    if (block == NULL) {
        block = add_new_block(world, link, slot);
    }
    if (block != NULL) {
        rows->sources.data[rows->sources.count - 1].compact = compact;
    }
    return block;
}

// Its share of the rates before the step.
static double back_of(const CnPosing* posing) {
    return (1.0 - posing->theta) / posing->theta;
}

static void set_targets(const CnTreeLink* link, const CnPosing* posing, const double* rate,
                        double* target) {
    double back = back_of(posing);
    for (int k = 0; k < link->row_count; ++k) {
        target[k] = -(back * (0.0 + rate[k])); // no minus zero
    }
}

// The block of a joint in closed form. Targets of joints in groups are set after all others.
static inline CnStatus pose_compact(CnWorld* world, const CnPosing* posing, const CnTreeLink* link,
                                    int slot) {
    CnRows* rows = &world->step.rows;
    const CnTreeStore* store = world->trees;
    const CnCompactRows* compact = add_compact(world, link);
    const CnBlock* block =
        compact == NULL ? NULL : add_joint_block(world, link, slot, rows->compact.count);
    if (block == NULL) {
        return CN_NO_MEMORY;
    }
    if (link->group != NULL) {
        store->first_row[store->place[slot]] = block->first_row;
    } else {
        double rate[CN_MAX_ROWS];
        find_compact_rates(link, posing, compact, rate);
        set_targets(link, posing, rate, rows->target + block->first_row);
    }
    return CN_OK;
}

static CnStatus pose_other(CnWorld* world, const CnPosing* posing, const CnTreeLink* link,
                           int slot) {
    CnRows* rows = &world->step.rows;
    double rate[CN_MAX_ROWS];
    const CnBlock* block = add_joint_block(world, link, slot, 0);
    if (block == NULL) {
        return CN_NO_MEMORY;
    }
    int first = block->first_row;
    write_other_rows(link, rows->jacobian_a + first, rows->jacobian_b + first);
    find_rates(link, posing, rows, first, rate);
    clear_world(link, rows, first);
    set_targets(link, posing, rate, rows->target + first);
    return CN_OK;
}

static inline CnStatus pose_joint(CnWorld* world, const CnPosing* posing, int slot) {
    const CnTreeLink* link = world->trees->joints[slot];
    return link->form == CN_FORM_OTHER ? pose_other(world, posing, link, slot)
                                       : pose_compact(world, posing, link, slot);
}

void cn_trees_begin_posing(CnWorld* world, const CnPosing* posing, bool keeps_rates) {
    CnTreeStore* store = world->trees;
    if (store == NULL) {
        return;
    }
    // Contacts would have changed once the solve shows that a stop was met, and a policy of the
    // warm start counts the steps of a row: there all stops have theirs.
    store->may_leave_out =
        !store->poses_all && world->step.manifolds.count == 0 && cn_warm_start_is_full(world);
    store->left_out_count = 0;
    for (int t = 0; t < store->tree_count; ++t) {
        CnJointTree* tree = &store->trees[t];
        tree->has_posed_groups = false;
        if (keeps_rates) {
            CN_WIDEST(cn_tree_group_passes)
                ->pose(tree, store->links + tree->first_link, posing->states, back_of(posing));
        }
    }
    for (int i = 0; i < store->link_count; ++i) {
        store->first_row[i] = -1;
    }
}

// Whether the joints of all groups of a tree have rows.
static bool are_posed(const CnJointTree* tree, const CnTreeLink* links, const int* first_row,
                      bool* is_any) {
    bool are = tree->group_count > 0;
    for (int i = 0; i < tree->link_count; ++i) {
        are = are && (first_row[i] >= 0 || links[i].group == NULL);
        *is_any = *is_any || first_row[i] >= 0;
    }
    return are;
}

void cn_trees_end_posing(CnWorld* world) {
    const CnTreeStore* store = world->trees;
    for (int t = 0; store != NULL && t < store->tree_count; ++t) {
        CnJointTree* tree = &store->trees[t];
        bool is_any = false;
        const int* first_row = store->first_row + tree->first_link;
        tree->has_posed_groups =
            are_posed(tree, store->links + tree->first_link, first_row, &is_any);
        if (is_any) {
            CN_WIDEST(cn_tree_group_passes)->put_targets(tree, first_row, world->step.rows.target);
        }
    }
}

// ---- drives about the axis of a hinge ----

// What the row of a drive asks for: u+ + compliance p = target, within bounds of p.
typedef struct DriveLaw {
    double target, compliance, lower, upper;
} DriveLaw;

// moreau.md (11): an open stop without restitution, at a coordinate x. False: another one.
static inline bool stop_law(const CnAxisPart* part, const CnPosing* posing, double x,
                            DriveLaw* law) {
    const CnJointAxis* axis = &part->axis;
    bool is_lower = cn_axis_is_near_lower(axis, x);
    double sign = is_lower ? 1.0 : -1.0;
    double gap = sign * (x - (is_lower ? axis->lower : axis->upper));
    if (!(gap > 0.0) || axis->restitution > 0.0) {
        return false;
    }
    *law = (DriveLaw){.target = sign * (-gap / posing->dt),
                      .lower = is_lower ? 0.0 : -HUGE_VAL,
                      .upper = is_lower ? HUGE_VAL : 0.0};
    return true;
}

// A speed, or with (14) a position.
static inline void motor_law(const CnAxisPart* part, const CnPosing* posing, double x,
                             CnCurveLook* series, DriveLaw* law) {
    const CnJointAxis* axis = &part->axis;
    double h = posing->dt, limit = axis->max_force > 0.0 ? axis->max_force : HUGE_VAL;
    *law = (DriveLaw){.lower = -limit * h, .upper = limit * h};
    if (axis->motor == CN_MOTOR_VELOCITY) {
        law->target = cn_axis_motor_target_again(part, posing->time + posing->theta * h, series);
    } else if (axis->stiffness > 0.0 || axis->damping > 0.0) {
        double yield = axis->damping + h * axis->stiffness; // [N s/m]
        double value = x - cn_axis_motor_target_again(part, posing->time, series);
        law->compliance = 1.0 / (h * yield);
        law->target = 0.0 - axis->stiffness * value / yield;
    }
}

// That of a stop, a motor or friction. False: the function of its kind is to find it.
static inline bool find_law(CnAxisPartType turns, const CnAxisPart* part, const CnPosing* posing,
                            double x, CnCurveLook* series, DriveLaw* law) {
    if (turns == CN_AXIS_PART_LIMIT) {
        return stop_law(part, posing, x, law);
    }
    if (turns == CN_AXIS_PART_MOTOR) {
        motor_law(part, posing, x, series, law);
    } else {
        double most = part->axis.friction * posing->dt;
        *law = (DriveLaw){.lower = -most, .upper = most};
    }
    return true;
}

static const double* velocity_at(const double (*velocity)[6], int body) {
    return body < 0 ? NULL : velocity[body];
}

// Of a drive about the axis of a hinge, before the step.
static double turn_rate(const CnPosing* posing, const CnTreeLink* link, CnVec3 turn) {
    const CnBodyState *a = cn_tree_state_at(posing->states, link->body_a),
                      *b = cn_tree_state_at(posing->states, link->body_b);
    return cn_vec3_dot(turn, cn_vec3_sub(b->angular_velocity, a->angular_velocity));
}

// Stops that are open and further away than twice the way they come nearer at their rate before the
// step, and than what counts as far, need no row: the solve shows whether they were met. (58)
static bool leaves_out(const CnWorld* world, const CnPosing* posing, const CnTreeDrive* drive,
                       const CnTreeLink* link, CnVec3 turn, double target) {
    if (drive->turns != CN_AXIS_PART_LIMIT || !world->trees->may_leave_out) {
        return false;
    }
    double rate =
        drive->is_twist ? link->group->twist_rate.of[link->lane] : turn_rate(posing, link, turn);
    double far = 2.0 * world->def.step.contact_margin + CN_TREE_FAR;
    return fabs(target) * posing->dt > 2.0 * fabs(rate) * posing->dt + far;
}

// That of a stop that was left out, after the solve.
static double left_rate(const CnTreeStore* store, const CnTreeDrive* drive,
                        const double (*velocity)[6]) {
    const CnTreeLink* link = &store->links[drive->link];
    const CnJointTree* tree = &store->trees[store->tree_of[link->body]];
    if (drive->is_twist && tree->is_solved && tree->has_posed_groups) {
        return link->group->twist_left.of[link->lane];
    }
    return cn_turn_rate(drive->turn, velocity_at(velocity, link->body_a),
                        velocity_at(velocity, link->body_b));
}

bool cn_trees_meet_stops(CnWorld* world) {
    CnTreeStore* store = world->trees;
    const double(*velocity)[6] = (const double(*)[6])world->step.velocity;
    bool are_met = false;
    int count = store == NULL || store->left_out_count == 0 ? 0 : store->drive_count;
    for (int i = 0; i < count; ++i) {
        CnTreeDrive* drive = &store->drives[i];
        if (drive->is_left_out) {
            double u = left_rate(store, drive, velocity) - drive->target;
            double far = 2.0 * world->def.step.contact_margin + CN_TREE_FAR;
            drive->is_far = fabs(u) * world->step.dt > far;
            are_met = are_met || !(drive->target < 0.0 ? u >= 0.0 : u <= 0.0);
        }
    }
    if (are_met) {
        store->poses_all = true;
    }
    return are_met;
}

static CnBlock* add_new_turn_block(CnWorld* world, const CnTreeDrive* drive,
                                   const CnTreeLink* link) {
    CnBlockSource source = {
        .manifold = -1, .given = -1, .constraint = drive->slot, .generation = drive->generation};
    CnBlock* block =
        cn_rows_add_bare(&world->step.rows, &world->allocator, CN_LAW_BOUNDS, 1, source);
    if (block != NULL) {
        block->key = drive->key;
        block->body_a = link->body_a;
        block->body_b = link->body_b;
    }
    return block;
}

// The block of a drive: that of the last step, or a new one. NULL: no memory.
static inline CnBlock* add_turn_block(CnWorld* world, const CnTreeDrive* drive,
                                      const CnTreeLink* link) {
    CnBlock* block = cn_rows_again(&world->step.rows, drive->slot);
    return block != NULL ? block : add_new_turn_block(world, drive, link);
}

// The row of a drive about the axis of a hinge. It is not posed, and left to the function of its
// kind, where its rate is not all there is to it.
static inline CnStatus pose_turn(CnWorld* world, const CnPosing* posing, CnTreeDrive* drive,
                                 CnCurveLook* series, bool* is_posed) {
    CnRows* rows = &world->step.rows;
    const CnTreeLink* link = &world->trees->links[drive->link];
    DriveLaw law;
    *is_posed = drive->is_left_out = false;
    if (drive->turns == CN_AXIS_PART_COUNT || !link->has_twist) {
        return CN_OK;
    }
    const CnAxisPart* part = drive->part;
    double x = cn_tree_turn_coordinate(link, &part->row);
    double factor = part->row.terms[0].factor;
    CnVec3 turn = cn_vec3_scale(factor, link->turned->twist_row);
    drive->is_twist = link->group != NULL && factor == 1.0;
    if (part->part.idle || !(cn_vec3_dot(turn, turn) > 0.25) ||
        !find_law(drive->turns, part, posing, x, series, &law)) {
        return CN_OK;
    }
    if (leaves_out(world, posing, drive, link, turn, law.target)) {
        drive->turn = turn;
        drive->target = law.target;
        *is_posed = drive->is_left_out = true;
        ++world->trees->left_out_count;
        return CN_OK;
    }
    const CnBlock* block = add_turn_block(world, drive, link);
    if (block == NULL ||
        (rows->turns.count == rows->turns.capacity &&
         !cn_array_reserve(&rows->turns, &world->allocator, rows->turns.count + 1))) {
        return CN_NO_MEMORY;
    }
    int row = block->first_row, index = rows->blocks.count - 1;
    rows->turns.data[rows->turns.count++] = (CnTurnRow){.block = index, .turn = turn};
    rows->sources.data[index].turn = rows->turns.count;
    rows->target[row] = law.target;
    rows->compliance[row] = law.compliance;
    rows->lower[row] = law.lower;
    rows->upper[row] = law.upper;
    *is_posed = true;
    return CN_OK;
}

int cn_trees_pose_run(CnWorld* world, const CnPosing* posing, int begin, CnCurveLook* series,
                      CnStatus* status) {
    int i = begin;
    for (; i < world->active.constraints.count; ++i) {
        int slot = world->active.constraints.data[i];
        CnTreeDrive* drive = cn_tree_drive_at(world, slot);
        bool is_posed = false;
        if (drive != NULL && drive->is_on_axis) {
            *status = pose_turn(world, posing, drive, series, &is_posed);
        } else if (can_pose(world, slot)) {
            *status = pose_joint(world, posing, slot);
            is_posed = true;
        }
        if (!is_posed || *status != CN_OK) {
            break;
        }
    }
    return i;
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
    if (link->form == CN_FORM_SLIDER) { // keeps two of the three directions
        trace =
            trace - step->inverse_mass[body] - quadratic(inverse, cn_vec3_cross(r, link->axes[2]));
    }
    for (int k = 0; k < cn_tree_turn_count(link); ++k) {
        trace += quadratic(inverse, cn_tree_turn(link, k));
    }
    return trace;
}

double cn_tree_joint_trace(const CnStep* step, const CnTreeLink* link) {
    return trace_at(step, link, link->body_a, cn_tree_arm_a(link)) +
           trace_at(step, link, link->body_b, cn_tree_arm_b(link));
}

// The joint of a tree whose rows a block has; NULL: none in closed form.
static const CnTreeLink* joint_of_block(const CnWorld* world, int index) {
    const CnBlock* block = &world->step.rows.blocks.data[index];
    int slot = world->step.rows.sources.data[index].constraint;
    const CnTreeLink* joint = slot < 0 ? NULL : world->trees->joints[slot];
    bool is_whole = joint != NULL && joint->form != CN_FORM_OTHER &&
                    block->law == CN_LAW_EQUALITY && block->row_count == joint->row_count;
    return is_whole ? joint : NULL;
}

double cn_tree_turn_trace(const CnStep* step, const CnBlock* block, CnVec3 turn) {
    return (block->body_a < 0 ? 0.0 : quadratic(step->inverse_inertia[block->body_a], turn)) +
           (block->body_b < 0 ? 0.0 : quadratic(step->inverse_inertia[block->body_b], turn));
}

// The same of a block, where its link's group may know it.
static double turn_trace(const CnWorld* world, int index, CnVec3 turn) {
    const CnTreeDrive* drive =
        cn_tree_drive_at(world, world->step.rows.sources.data[index].constraint);
    const CnTreeLink* link = drive == NULL ? NULL : &world->trees->links[drive->link];
    bool is_known = link != NULL && drive->is_twist &&
                    world->trees->trees[world->trees->tree_of[link->body]].has_posed_groups;
    return is_known ? link->group->twist_trace.of[link->lane]
                    : cn_tree_turn_trace(&world->step, &world->step.rows.blocks.data[index], turn);
}

// Whether a drive has the row of the block before it, as motor and stop of an axis do.
static bool repeats_turn(const CnProblem* problem, const CnTurnRow* turn, bool has_before) {
    const CnBlock *own = &problem->blocks[turn->block], *last = own - 1;
    return has_before && turn[-1].block == turn->block - 1 && own->body_a == last->body_a &&
           own->body_b == last->body_b &&
           memcmp(&turn->turn, &turn[-1].turn, sizeof turn->turn) == 0;
}

// The same where Jacobians are written.
static bool repeats_row(const CnProblem* problem, int index, const CnBlockSource* sources) {
    const CnBlock *own = &problem->blocks[index], *last = own - 1;
    return index > 0 && sources[index - 1].turn == 0 && sources[index - 1].compact == 0 &&
           own->row_count == 1 && last->row_count == 1 && own->body_a == last->body_a &&
           own->body_b == last->body_b && !cn_block_has_second(own) && !cn_block_has_second(last) &&
           memcmp(problem->jacobian_a[own->first_row], problem->jacobian_a[last->first_row],
                  sizeof(double[6])) == 0 &&
           memcmp(problem->jacobian_b[own->first_row], problem->jacobian_b[last->first_row],
                  sizeof(double[6])) == 0;
}

// The traces of the joints of trees, those of groups found before.
static double joint_trace(const CnWorld* world, const CnTreeLink* joint) {
    const CnTreeStore* store = world->trees;
    int place = store->place[joint->slot];
    bool is_known =
        joint->group != NULL && store->trees[store->tree_of[joint->body]].has_posed_groups;
    return is_known ? store->trace[place] : cn_tree_joint_trace(&world->step, joint);
}

static void find_group_traces(const CnWorld* world, const CnProblem* problem) {
    const CnTreeStore* store = world->trees;
    for (int t = 0; t < store->tree_count; ++t) {
        const CnJointTree* tree = &store->trees[t];
        if (tree->has_posed_groups) {
            CN_WIDEST(cn_tree_group_passes)
                ->find_traces(tree, problem, store->trace + tree->first_link);
        }
    }
}

double cn_trees_explicit_trace(CnWorld* world) {
    CnProblem problem = cn_step_explicit_problem(world);
    bool uses_trees = cn_trees_are_at(world, CN_TREES_POSED);
    double trace = 0.0, last = 0.0; // last: of one row, without its compliance
    if (uses_trees) {
        find_group_traces(world, &problem);
    }
    for (int i = 0; i < problem.block_count; ++i) {
        const CnBlock* block = &problem.blocks[i];
        const CnTreeLink* joint = uses_trees ? joint_of_block(world, i) : NULL;
        double softness = block->row_count == 1 ? problem.compliance[block->first_row] : 0.0, own;
        const CnTurnRow* turn = cn_rows_turn(&world->step.rows, i);
        if (joint != NULL) {
            own = joint_trace(world, joint);
        } else if (turn != NULL) {
            if (!repeats_turn(&problem, turn, turn > world->step.rows.turns.data)) {
                last = turn_trace(world, i, turn->turn);
            }
            own = softness + last;
        } else if (uses_trees && repeats_row(&problem, i, world->step.rows.sources.data)) {
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
