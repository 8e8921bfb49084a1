// tree_grade.c - what the rows of a tree of joints miss in the solve of a step: rates and grades.
#include "constraints/problem/block.h"
#include "math/worse.h"
#include "solvers/solve/budget.h"
#include "world/step/solve_step.h"
#include "world/trees/compact_rows.h"
#include "world/trees/tree_solve.h"

#include <math.h>
#include <string.h>

// Velocities of a block's bodies; NULL: the world.
static const double* velocity_at(const double (*velocity)[6], int body) {
    return body < 0 ? NULL : velocity[body];
}

void cn_tree_joint_rates(const CnTreeSolve* it, int index, const double (*velocity)[6], double* u) {
    const CnRows* rows = &it->world->step.rows;
    const CnBlock* block = &rows->blocks.data[index];
    const CnCompactRows* compact = cn_rows_compact(rows, index);
    if (compact == NULL) {
        cn_block_velocity(&it->problem, block, velocity, rows->impulse, u);
        return;
    }
    cn_compact_rates(compact, block->row_count, velocity_at(velocity, block->body_a),
                     velocity_at(velocity, block->body_b), u);
    for (int k = 0; k < block->row_count; ++k) {
        u[k] -= rows->target[block->first_row + k];
    }
}

void cn_tree_free_rates(const CnTreeSolve* it, int index, double* q) {
    if (cn_rows_compact(&it->world->step.rows, index) == NULL) {
        cn_block_free_velocity(&it->problem, &it->problem.blocks[index], q);
    } else {
        cn_tree_joint_rates(it, index, it->problem.free_velocity, q);
    }
}

bool cn_tree_shares_row(const CnTreeSolve* it, const CnActingDrive* drive,
                        const CnActingDrive* other) {
    const CnProblem* problem = &it->problem;
    size_t bytes = sizeof *problem->jacobian_a;
    if (drive->is_turn || other->is_turn) {
        return drive->link == other->link && drive->is_turn && other->is_turn &&
               memcmp(&drive->turn, &other->turn, sizeof drive->turn) == 0;
    }
    return drive->link == other->link &&
           memcmp(problem->jacobian_a[drive->row], problem->jacobian_a[other->row], bytes) == 0 &&
           memcmp(problem->jacobian_b[drive->row], problem->jacobian_b[other->row], bytes) == 0;
}

double cn_tree_rate_along(const CnTreeSolve* it, const CnActingDrive* drive,
                          const double (*velocity)[6]) {
    const double *a = velocity_at(velocity, drive->block->body_a),
                 *b = velocity_at(velocity, drive->block->body_b);
    if (drive->is_turn) {
        double sign = drive->block->body_b == it->links[drive->link].body ? 1.0 : -1.0;
        return sign * cn_turn_rate(drive->turn, a, b);
    }
    return (a == NULL ? 0.0 : cn_dot6(it->problem.jacobian_a[drive->row], a)) +
           (b == NULL ? 0.0 : cn_dot6(it->problem.jacobian_b[drive->row], b));
}

// u that the rows of a block leave, and its square if that is larger than another.
static double larger_square(const CnTreeSolve* it, int index, double* u, double worst) {
    double square = 0.0;
    cn_tree_joint_rates(it, index, (const double(*)[6])it->world->step.velocity, u);
    for (int k = 0; k < it->problem.blocks[index].row_count; ++k) {
        square += u[k] * u[k];
    }
    return cn_worse(worst, square);
}

double cn_tree_joint_error(const CnTreeSolve* it) {
    double worst = 0.0;
    if (it->by_groups) {
        worst =
            it->passes->find_left(it->tree, (const double(*)[6])it->world->step.velocity, worst);
    }
    for (int k = 0; k < cn_tree_alone_count(it); ++k) {
        int i = cn_tree_alone(it, k);
        worst = it->block[i] < 0 ? worst : larger_square(it, it->block[i], it->left[i], worst);
    }
    for (int i = 0; i < it->tree->loops.count; ++i) {
        double u[CN_MAX_ROWS];
        worst = larger_square(it, it->loop_block[i], u, worst);
    }
    return sqrt(worst);
}

// Grades a joint of a group that was measured: cn_grade_block() of an equality, to the same bits.
// False: some of its numbers are none.
static bool grade_lane(const CnTreeSolve* it, int index, const CnTreeLink* link,
                       CnGradeSums* grades) {
    const CnStep* step = &it->world->step;
    const CnTreeGroup* group = link->group;
    int lane = link->lane;
    double square = group->square.of[lane], work = group->work.of[lane];
    if (!isfinite(square) || !isfinite(work)) {
        return false;
    }
    double residual = sqrt(square);
    grades->complementarity = cn_worse(grades->complementarity, work);
    grades->residual += residual * residual;
    grades->plain += square;
    grades->scaled += group->scaled.of[lane];
    double p = grades->p, u = grades->u, q = grades->q; // in registers: each sum waits for the last
    for (int k = 0; k < link->row_count; ++k) {
        p += group->squares[0][k].of[lane];
        u += group->squares[1][k].of[lane];
        q += group->squares[2][k].of[lane];
    }
    grades->p = p;
    grades->u = u;
    grades->q = q;
    cn_grade_note(residual, index, step->tile_block_count + index, step->block_residual.data,
                  grades);
    return true;
}

// u of the rows of a joint, with and without impulses.
static void find_joint_rates(const CnTreeSolve* it, int index, const CnTreeLink* link, double* u,
                             double* q) {
    if (link == NULL) { // it closes a loop
        cn_tree_joint_rates(it, index, (const double(*)[6])it->world->step.velocity, u);
        cn_tree_free_rates(it, index, q);
    } else if (it->by_groups && link->group != NULL) {
        cn_tree_group_row(link->group->left, link->lane, link->row_count, u);
        cn_tree_group_row(link->group->missed, link->lane, link->row_count, q);
    } else {
        memcpy(u, it->left[link - it->links], (size_t)link->row_count * sizeof *u);
        memcpy(q, it->missing[link - it->links], (size_t)link->row_count * sizeof *q);
    }
}

// Grades a joint: of those along the tree cn_tree_joint_error() has found u.
static void grade_joint(const CnTreeSolve* it, int index, int place, double rho,
                        CnGradeSums* grades) {
    const CnStep* step = &it->world->step;
    const CnTreeLink* link = place < 0 ? NULL : &it->world->trees->links[place];
    bool is_lane = it->by_groups && link != NULL && link->group != NULL;
    if (!is_lane || !grade_lane(it, index, link, grades)) {
        double u[CN_MAX_ROWS], q[CN_MAX_ROWS];
        find_joint_rates(it, index, link, u, q);
        cn_grade_block(&it->problem, index, step->tile_block_count + index, u, q,
                       step->rows.impulse, rho, step->block_residual.data, grades);
    }
}

static void grade_drive(const CnTreeSolve* it, int index, const CnActingDrive* drive, double u,
                        double rho, CnGradeSums* grades) {
    const CnStep* step = &it->world->step;
    int number = step->tile_block_count + index;
    double *residual = step->block_residual.data, q = drive->free_rate;
    if (drive->is_mute) {
        cn_grade_mute(index, number, u, q, residual, grades);
    } else if (drive->is_force) {
        cn_grade_block(&it->problem, index, number, &u, &q, step->rows.impulse, rho, residual,
                       grades);
    } else {
        cn_grade_bound(&it->problem, index, number, step->block_trace.data[index], u, q,
                       step->rows.impulse, rho, residual, grades);
    }
}

// u of a drive. along: J v of the drive before, which may have the same row, and then of this one.
static double find_drive_rate(const CnTreeSolve* it, const CnActingDrive* drive, CnTreeDrive* kept,
                              double* along) {
    const CnStep* step = &it->world->step;
    if (drive->is_twist) {
        *along = it->links[drive->link].group->twist_left.of[it->links[drive->link].lane];
    } else if (drive + 1 == it->drives + it->drive_count ||
               !cn_tree_shares_row(it, drive, drive + 1)) {
        *along = cn_tree_rate_along(it, drive, (const double(*)[6])step->velocity);
    }
    double u = *along - it->problem.target[drive->row] +
               it->problem.compliance[drive->row] * drive->impulse;
    double far = 2.0 * it->world->def.step.contact_margin + CN_TREE_FAR;
    kept->is_far = kept->may_stop && fabs(u) * step->dt > far;
    return u;
}

// Residuals of a step that is not graded count as none: warm start "full" does not ask for them.
static void forget_residuals(const CnTreeSolve* it, int island) {
    const CnIslandStore* islands = &it->world->islands;
    for (int k = islands->block_start.data[island]; k < islands->block_start.data[island + 1];
         ++k) {
        it->world->step.block_residual.data[islands->block.data[k]] = 0.0;
    }
}

void cn_tree_take_error(const CnTreeSolve* it, int island, const CnSolverDef* def, double error,
                        CnIslandResult* result, CnGradeSums* grades) {
    CnProblem own_rows = it->problem;
    const CnActingDrive* drive = it->drives + it->drive_count;
    double along = 0.0;
    own_rows.row_count = it->tree->loops.row_count;
    for (int i = 0; i < it->tree->link_count; ++i) {
        own_rows.row_count += it->block[i] < 0 ? 0 : it->links[i].row_count;
    }
    while (drive > it->drives) {
        int slot =
            it->world->step.rows.sources.data[(--drive)->block - it->problem.blocks].constraint;
        find_drive_rate(it, drive, cn_tree_drive_at(it->world, slot), &along);
        own_rows.row_count += 1;
    }
    forget_residuals(it, island);
    cn_grade_begin(grades);
    result->budget = cn_budget_of_step(&own_rows, def);
    result->report->certificate = cn_certificate_of_nothing();
    result->report->error = error;
    cn_island_result_take(result);
    result->worst = error;
}

void cn_tree_grade(const CnTreeSolve* it, int island, const CnSolverDef* def, double rho,
                   CnIslandResult* result, CnGradeSums* grades) {
    CnStep* step = &it->world->step;
    const CnIslandStore* islands = &it->world->islands;
    CnProblem own_rows = it->problem;
    const CnActingDrive* drive = it->drives + it->drive_count; // taken from the last to the first
    double along = 0.0;
    own_rows.row_count = 0;
    if (it->by_groups) {
        it->passes->measure(it->tree, rho, it->first_row, step->rows.impulse);
    }
    cn_grade_begin(grades);
    if (it->contacts != NULL) {
        CnTileBodies bodies = cn_step_tile_bodies(step);
        cn_tiles_grade(&it->contacts->tiles, &bodies, rho, grades);
        own_rows.row_count = it->contacts->outer.n;
    }
    for (int k = islands->block_start.data[island]; k < islands->block_start.data[island + 1];
         ++k) {
        int i = islands->block.data[k];
        int place = it->world->trees->place[step->rows.sources.data[i].constraint];
        if (place >= -1) {
            grade_joint(it, i, place, rho, grades);
        } else {
            CnTreeDrive* kept = &it->world->trees->drives[-2 - place];
            double u = find_drive_rate(it, --drive, kept, &along);
            grade_drive(it, i, drive, u, rho, grades);
        }
        own_rows.row_count += it->problem.blocks[i].row_count;
    }
    result->budget = cn_budget_of_step(&own_rows, def);
    cn_grade_finish(grades, rho, &result->report->certificate);
    result->report->error = result->report->certificate.worst;
    cn_island_result_take(result);
}
