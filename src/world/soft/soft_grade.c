// soft_grade.c - scheme soft_step: how far a step is from the exact laws, on demand.
#include "world/soft/soft_grade.h"

#include "constraints/joints/user_rows.h"
#include "world/contacts/contacts.h"
#include "world/soft/soft_store.h"
#include "world/step/rows.h"
#include "world/step/step.h"

#include <math.h>

typedef struct SoftGrading {
    CnWorld* world;
    double time;      // at the end of the step [s]
    double inverse_h; // of a substep [1/s]
    double squares;   // of all residuals [m^2/s^2]
    int count;
    double worst; // [m/s]
    int worst_block;
} SoftGrading;

static void add(SoftGrading* grading, int block, double residual) {
    grading->squares += residual * residual;
    ++grading->count;
    if (grading->worst_block < 0 || residual > grading->worst) {
        grading->worst = residual;
        grading->worst_block = block;
    }
}

// ---- contacts ----

static void grade_tiles(SoftGrading* grading, const CnSoftGroup* group) {
    const CnSoftStore* soft = grading->world->soft;
    CnSoftBodies bodies = cn_soft_bodies(soft, group);
    int slot = group->first_slot;
    while (slot < cn_soft_end_slot(group)) {
        const CnSoftTile* tile = cn_soft_tile_at(soft, slot);
        float missed[CN_SOFT_LANES];
        soft->run.kernels->judge(tile, &bodies, &soft->run.rates, missed);
        for (int lane = 0; lane < CN_SOFT_LANES; ++lane) {
            int manifold = soft->manifold.data[CN_SOFT_LANES * slot + lane];
            if (manifold >= 0) {
                add(grading, grading->world->step.rows.blocks.count + manifold,
                    (double)missed[lane]);
            }
        }
        slot += tile->slots;
    }
}

// ---- joints and user constraints ----

// A row that pushes with impulse p has to keep v = u + max(C, 0) / h at zero, one that does not
// must not have v < 0. Without the row's mass this is the most that its natural map can be.
static double missed_by_stop(double value, double rate, double impulse, double inverse_h) {
    double v = rate + fmax(value, 0.0) * inverse_h;
    return impulse > 0.0 ? fabs(v) : fmax(-v, 0.0);
}

// A motor or a brake keeps its rate at zero, unless its impulse is the least or the most that it
// may be. Impulses and bounds are numbers of single precision.
static double missed_by_drive(const CnRowLimits* limits, double rate, double impulse, double h) {
    if ((float)impulse <= (float)(h * limits->lower)) {
        return fmax(-rate, 0.0);
    }
    return (float)impulse >= (float)(h * limits->upper) ? fmax(rate, 0.0) : fabs(rate);
}

// (20). Springs follow a law of force and count as solved; stops that bounce have another law.
static double missed_by_row(const SoftGrading* grading, const CnRowLimits* limits, double value,
                            double rate, double impulse) {
    bool bounces = limits->restitution > 0.0;
    switch (limits->role) {
    case CN_ROW_KEEPS:
        return fabs(rate);
    case CN_ROW_PUSHES:
        return bounces ? 0.0 : missed_by_stop(value, rate, impulse, grading->inverse_h);
    case CN_ROW_PULLS:
        return bounces ? 0.0 : missed_by_stop(-value, -rate, -impulse, grading->inverse_h);
    case CN_ROW_DRIVES:
        return missed_by_drive(limits, rate, impulse, 1.0 / grading->inverse_h);
    case CN_ROW_YIELDS:
        return 0.0;
    }
    return 0.0;
}

static void grade_constraint(SoftGrading* grading, int block) {
    CnWorld* world = grading->world;
    CnUserConstraint* constraint =
        cn_pool_element(&world->constraints, world->step.rows.sources.data[block].constraint);
    const CnConstraintKind* kind = constraint->kind;
    CnBoundConstraint bound;
    CnConstraintReading reading;
    CnRowLimits limits[CN_MAX_ROWS];
    double rate[CN_MAX_ROWS], square = 0.0;
    cn_world_bind_now(world, constraint, &bound);
    cn_kind_read(kind, bound.a, bound.b, grading->time, constraint->data,
                 CN_READ_VALUES | CN_READ_FORCES, &reading);
    cn_reading_limits(&reading, constraint, grading->time, limits);
    cn_constraint_rate(kind, bound.a, bound.b, grading->time, constraint->data, rate);
    for (int i = 0; i < kind->dimension; ++i) {
        double missed =
            missed_by_row(grading, &limits[i], reading.value[i], rate[i], constraint->kept[i]);
        square += missed * missed;
    }
    constraint->residual = sqrt(square);
    add(grading, block, constraint->residual);
}

static void grade_constraints(SoftGrading* grading, const CnSoftGroup* group) {
    const CnSoftStore* soft = grading->world->soft;
    int first_lane = CN_SOFT_LANES * group->first_joint_tile;
    for (int i = 0; i < CN_SOFT_LANES * group->joint_tile_count; ++i) {
        if (soft->joint.data[first_lane + i] >= 0) {
            grade_constraint(grading, soft->joint.data[first_lane + i]);
        }
    }
    for (int i = 0; i < group->block_count; ++i) {
        grade_constraint(grading, soft->block.data[group->first_block + i]);
    }
    for (int i = 0; i < group->link_count; ++i) {
        const CnSoftLink* link = &soft->links.data[group->first_link + i];
        if (link->block >= 0) {
            grade_constraint(grading, link->block);
        }
    }
}

// ---- the step ----

void cn_soft_grade(CnWorld* world, CnStepReport* report) {
    const CnSoftStore* soft = world->soft;
    SoftGrading grading = {.world = world,
                           .time = world->step.time + world->step.dt,
                           .inverse_h = (double)soft->run.rates.inverse_h,
                           .worst_block = -1};
    report->is_graded = cn_step_grade_is_asked(world);
    for (int i = 0; report->is_graded && i < soft->groups.count; ++i) {
        const CnSoftGroup* group = &soft->groups.data[i];
        if (!group->is_exact) {
            grade_tiles(&grading, group);
            grade_constraints(&grading, group);
        }
    }
    report->block_count = grading.count;
    report->certificate.worst = grading.worst;
    report->certificate.worst_block = grading.worst_block;
    report->certificate.rms = sqrt(grading.squares / fmax(grading.count, 1.0));
}

int cn_soft_graded_manifold(const CnWorld* world, int block) {
    int manifold = block - world->step.rows.blocks.count;
    if (manifold < 0 || manifold >= world->pairs.manifolds.count) {
        return CN_NONE;
    }
    const CnManifold* own = cn_manifold_at(&world->pairs, manifold);
    bool is_there = own->in_use && !world->pairs.records.data[own->pair].is_gone;
    return is_there ? manifold : CN_NONE;
}
