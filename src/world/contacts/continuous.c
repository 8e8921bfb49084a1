// continuous.c - where on their way through a step fast bodies hit something.
#include "world/contacts/continuous.h"

#include "base/error.h"
#include "collision/broad/bounds.h"
#include "collision/cast/time_of_impact.h"
#include "collision/convex/distance.h"
#include "world/contacts/contact_hooks.h"
#include "world/contacts/contact_rows.h"
#include "world/contacts/contacts.h"

// How near and how deep pairs may come, as shares of contact_margin: a cut leaves them at TOUCH,
// whatever is not wider than CLOSED takes part in the impact, and a pair that gets no deeper than
// DEPTH below where it was (or below zero) needs no cut. With the default margin of 1 mm that is 5,
// 10 and 100 micrometres: contacts at rest move by 1e-10 m in a step, so they never need one.
#define TOUCH 0.005
#define CLOSED 0.01
#define DEPTH 0.1

// A part that would get too deep from the start on is cut a little before: forces that act for a
// shorter time bend its way differently, and the next try should succeed.
#define BEFORE_LIMIT 0.9

double cn_continuous_closed(const CnWorld* world) {
    return CLOSED * world->def.step.contact_margin;
}

bool cn_continuous_passes_on(const CnWorld* world, const CnBodyState* states) {
    double closed = cn_continuous_closed(world);
    for (int i = 0; i < world->step.manifolds.count; ++i) {
        const CnManifold* manifold = cn_manifold_at(&world->pairs, world->step.manifolds.data[i]);
        CnContact contact = cn_manifold_contact(world, manifold, states);
        for (int k = 0; contact.restitution > 0.0 && k < manifold->count; ++k) {
            cn_contact_set_point(&contact, manifold, k, NULL);
            double rate = cn_contact_normal_velocity(&contact, states);
            if (contact.gap <= closed && rate < -world->def.step.restitution_threshold) {
                return true;
            }
        }
    }
    return false;
}

CnStatus cn_continuous_check(const CnWorld* world, bool has_contacts, CnError* error) {
    if (!has_contacts) {
        return cn_error_set(error, CN_UNSUPPORTED,
                            "there are fast bodies, but scheme %s has no contacts; use moreau",
                            cn_scheme_name(world->def.step.scheme));
    }
    if (!(world->def.step.contact_margin > 0.0)) {
        return cn_error_set(error, CN_UNSUPPORTED,
                            "there are fast bodies, but contact_margin is %g m; it must be "
                            "positive to tell bodies that touch from bodies that pass",
                            world->def.step.contact_margin);
    }
    return CN_OK;
}

// The motion of a whole step.
typedef struct Course {
    CnWorld* world;
    CnSweep* sweeps;  // [bodies]
    CnBounds* around; // all places a body comes to   [bodies]
    CnBounds* bounds; // all places a shape comes to, by slot; those not in use are undefined
    bool* fast;       // [bodies]
} Course;

// To the poses of the problem, on to the end, and along the correction of positions.
static CnSweep sweep_of(const CnMotion* motion, const CnMotionExtras* extras,
                        const CnBodyState* end) {
    CnQuat back = cn_quat_conjugate(motion->end_rotation);
    CnVec3 corrected = cn_quat_log(cn_quat_multiply(end->rotation, back));
    return (CnSweep){
        .legs =
            {
                {{motion->start.center, motion->start.rotation},
                 cn_vec3_sub(motion->center, motion->start.center),
                 extras->turn_ahead},
                {{motion->center, motion->rotation},
                 cn_vec3_sub(extras->end_center, motion->center),
                 extras->turn_after},
                {{extras->end_center, motion->end_rotation},
                 cn_vec3_sub(end->center, extras->end_center),
                 corrected},
            },
        .stop = CN_SWEEP_LEGS,
    };
}

static CnBounds join(CnBounds a, CnBounds b) {
    return (CnBounds){
        cn_vec3(fmin(a.low.x, b.low.x), fmin(a.low.y, b.low.y), fmin(a.low.z, b.low.z)),
        cn_vec3(fmax(a.high.x, b.high.x), fmax(a.high.y, b.high.y), fmax(a.high.z, b.high.z)),
    };
}

static CnBounds around_ball(CnVec3 center, double radius) {
    CnVec3 r = cn_vec3(radius, radius, radius);
    return (CnBounds){cn_vec3_sub(center, r), cn_vec3_add(center, r)};
}

// A shape that turns stays in a ball about its body's centre of mass.
static CnBounds leg_bounds(const CnShape* shape, const CnLeg* leg, double margin) {
    CnTransform end = {cn_vec3_add(leg->start.position, leg->move), leg->start.rotation};
    if (cn_vec3_length(leg->turn) == 0.0 || shape->type == CN_SHAPE_PLANE) {
        return join(cn_shape_bounds(cn_shape_place(shape, leg->start), margin),
                    cn_shape_bounds(cn_shape_place(shape, end), margin));
    }
    double radius = cn_vec3_length(shape->local.position) + shape->extent + margin;
    return join(around_ball(leg->start.position, radius), around_ball(end.position, radius));
}

static CnBounds sweep_bounds(const CnShape* shape, const CnSweep* sweep, double margin) {
    CnBounds bounds = leg_bounds(shape, &sweep->legs[0], margin);
    for (int leg = 1; leg < CN_SWEEP_LEGS; ++leg) {
        bounds = join(bounds, leg_bounds(shape, &sweep->legs[leg], margin));
    }
    return bounds;
}

static void chart(Course* course) {
    const CnWorld* world = course->world;
    double margin = world->def.step.contact_margin; // covers round-off and the depth that may be
    const CnVec3 infinity = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    for (int i = 0; i < world->order.count; ++i) {
        const CnBody* body = cn_world_body_by_index(world, i);
        course->sweeps[i] =
            sweep_of(&world->step.motions.data[i], &world->step.extras.data[i], &body->state);
        course->around[i] = (CnBounds){infinity, cn_vec3_negate(infinity)};
        course->fast[i] = body->fast && !body->disabled;
        if (body->disabled) {
            continue;
        }
        for (int n = world->details.data[i].first_shape; n >= 0;
             n = cn_world_shape_at(world, n)->next) {
            CnShape shape = cn_world_shape_alone(world, n);
            course->bounds[n] = sweep_bounds(&shape, &course->sweeps[i], margin);
            course->around[i] = join(course->around[i], course->bounds[n]);
        }
    }
}

static CnStatus chart_course(CnWorld* world, Course* course) {
    *course = (Course){
        .world = world,
        .sweeps = CN_ARENA_NEW(&world->arena, CnSweep, world->order.count),
        .around = CN_ARENA_NEW(&world->arena, CnBounds, world->order.count),
        .bounds = CN_ARENA_NEW(&world->arena, CnBounds, cn_pool_slot_count(&world->shapes)),
        .fast = CN_ARENA_NEW(&world->arena, bool, world->order.count),
    };
    if (course->sweeps == NULL || course->around == NULL || course->bounds == NULL ||
        course->fast == NULL) {
        return CN_NO_MEMORY;
    }
    chart(course);
    bool found =
        cn_swept_pairs_find(&world->swept_pairs, course->around, course->fast, world->order.count);
    return found ? CN_OK : CN_NO_MEMORY;
}

// The first impact so far, and whose it is.
typedef struct First {
    double at; // u that counts; infinite: none
    int body_a, body_b;
    bool had_impact; // see cn_continuous_find()
} First;

// Impacts of one pair of bodies.
typedef struct Candidate {
    First* first;
    int body_a, body_b;
} Candidate;

static void consider(const CnImpactTime* impact, void* data) {
    const Candidate* candidate = data;
    First* first = candidate->first;
    double from_start = first->had_impact ? BEFORE_LIMIT * impact->limit : 0.0;
    double at = impact->touch >= 0.0 ? impact->touch : from_start;
    if (at < first->at) {
        *first = (First){at, candidate->body_a, candidate->body_b, first->had_impact};
    }
}

static CnNearest nearest_at_start(const CnSweptShape* a, const CnSweptShape* b) {
    return cn_nearest(cn_shape_place(a->shape, a->sweep->legs[0].start),
                      cn_shape_place(b->shape, b->sweep->legs[0].start));
}

static CnImpactLevels levels_of(const Course* course, double start) {
    double margin = course->world->def.step.contact_margin;
    return (CnImpactLevels){
        .apart = CLOSED * margin,
        .touch = TOUCH * margin,
        .limit = fmin(start, 0.0) - DEPTH * margin,
    };
}

static void visit_shapes(const Course* course, int shape_a, int shape_b, First* first) {
    const CnWorld* world = course->world;
    if (!cn_bounds_overlap(&course->bounds[shape_a], &course->bounds[shape_b]) ||
        !cn_world_may_collide(world, shape_a, shape_b)) {
        return;
    }
    const CnWorldShape* a = cn_world_shape_at(world, shape_a);
    const CnWorldShape* b = cn_world_shape_at(world, shape_b);
    Candidate candidate = {first, a->body, b->body};
    CnShape alone_a = cn_world_shape_alone(world, shape_a);
    CnShape alone_b = cn_world_shape_alone(world, shape_b);
    CnSweptShape swept_a = {&alone_a, &course->sweeps[a->body]};
    CnSweptShape swept_b = {&alone_b, &course->sweeps[b->body]};
    CnNearest start = nearest_at_start(&swept_a, &swept_b);
    CnContact nearest = {
        .body_a = a->body,
        .body_b = b->body,
        .shape_a = shape_a,
        .shape_b = shape_b,
        .point = cn_vec3_scale(0.5, cn_vec3_add(start.point_a, start.point_b)),
        .normal = start.normal,
        .gap = start.distance,
        .given = -1,
    };
    if (!cn_contact_hooks_admit(course->world, &nearest)) {
        return;
    }
    CnImpactLevels levels = levels_of(course, start.distance);
    cn_visit_impacts(&swept_a, &swept_b, levels, consider, &candidate);
}

static void visit_bodies(const Course* course, int a, int b, First* first) {
    const CnWorld* world = course->world;
    int first_b = world->details.data[b].first_shape;
    for (int i = world->details.data[a].first_shape; i >= 0;
         i = cn_world_shape_at(world, i)->next) {
        for (int k = first_b; k >= 0; k = cn_world_shape_at(world, k)->next) {
            visit_shapes(course, i, k, first);
        }
    }
}

static bool can_be_stopped(const Course* course, int body) {
    return cn_world_body_by_index(course->world, body)->type == CN_BODY_DYNAMIC &&
           course->sweeps[body].stop == CN_SWEEP_LEGS;
}

// Every pair of bodies of which one is fast, once, unless nothing can be done about it: when a
// kinematic body runs into one that was stopped. Ties go to the pair that comes first.
static First first_impact(const Course* course, bool had_impact) {
    const CnWorld* world = course->world;
    First first = {.at = HUGE_VAL, .had_impact = had_impact};
    for (int i = 0; i < world->swept_pairs.pairs.count; ++i) {
        CnSweptPair pair = world->swept_pairs.pairs.data[i];
        if (can_be_stopped(course, pair.fast) || can_be_stopped(course, pair.other)) {
            visit_bodies(course, pair.fast, pair.other, &first);
        }
    }
    return first;
}

// Of the step's time that has passed at u: the first two legs share it, the correction takes none.
static double share_of_time(double ahead, double u) {
    return u <= 1.0 ? ahead * u : ahead + (1.0 - ahead) * fmin(u - 1.0, 1.0);
}

// How much of a step's time is over at the poses of its problem.
static double share_ahead(const CnStepDef* step) {
    switch (step->scheme) {
    case CN_SCHEME_MOREAU:
        return 1.0 - step->theta;
    case CN_SCHEME_IMPLICIT:
        return 1.0;
    default:
        return 0.0;
    }
}

CnStatus cn_continuous_find(CnWorld* world, bool had_impact, CnCut* cut) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    Course course;
    *cut = (CnCut){0};
    CnStatus status = chart_course(world, &course);
    if (status == CN_OK) {
        First first = first_impact(&course, had_impact);
        cut->found = first.at < HUGE_VAL;
        cut->share = share_of_time(share_ahead(&world->def.step), first.at);
        cut->is_possible = cut->share < 1.0;
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

// The fast ones of a pair, else the other: it has run into a fast body that was stopped before.
static void stop_pair(const Course* course, const First* first) {
    const int bodies[] = {first->body_a, first->body_b};
    int stopped = 0;
    for (int pass = 0; pass < 2 && stopped == 0; ++pass) {
        for (int i = 0; i < 2; ++i) {
            bool fast = cn_world_body_by_index(course->world, bodies[i])->fast;
            if ((fast || pass == 1) && can_be_stopped(course, bodies[i])) {
                course->sweeps[bodies[i]].stop = first->at;
                ++stopped;
            }
        }
    }
}

// Velocities stay as they are in body axes, as in a correction of positions.
static int put_back(const Course* course) {
    CnWorld* world = course->world;
    int count = 0;
    for (int i = 0; i < world->order.count; ++i) {
        CnBody* body = cn_world_body_by_index(world, i);
        if (course->sweeps[i].stop < CN_SWEEP_LEGS) {
            CnTransform pose = cn_sweep_at(&course->sweeps[i], course->sweeps[i].stop);
            CnMotionExtras* extras = &world->step.extras.data[i]; // there are fast bodies
            CnVec3 spin = extras->final_spin;
            CnVec3 late = cn_quat_rotate(body->state.rotation, extras->late_moment);
            body->state.center = pose.position;
            body->state.rotation = cn_quat_normalize(pose.rotation);
            // What the relaxation gave turns with the body; the ledger sees the rest by itself.
            CnVec3 turned = cn_quat_rotate(body->state.rotation, extras->late_moment);
            extras->spin_defect = cn_vec3_add(extras->spin_defect, cn_vec3_sub(turned, late));
            body->state.angular_velocity = cn_quat_rotate(body->state.rotation, spin);
            ++count;
        }
    }
    return count;
}

// In the order of time, so that what one body does after another was stopped is seen. Every round
// stops a body.
CnStatus cn_continuous_hold(CnWorld* world, int* held_back) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    Course course;
    CnStatus status = chart_course(world, &course);
    if (status == CN_OK) {
        for (First first = first_impact(&course, false); first.at < HUGE_VAL;
             first = first_impact(&course, false)) {
            stop_pair(&course, &first);
        }
        *held_back = put_back(&course);
    }
    cn_arena_release(&world->arena, mark);
    return status;
}
