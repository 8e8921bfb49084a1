// query.c - walking over the shapes that a query may see.
#include "world/query.h"

#include "base/error.h"

// What round-off may do to a distance, relative to the lengths it is made of: some thousand units
// in the last place, so that it never decides what a query meets.
#define SLACK 1e-12

CnQueryWalk cn_query_begin(const CnWorld* world, const CnQueryFilter* filter, CnRay way,
                           double radius) {
    return (CnQueryWalk){.world = world, .filter = filter, .way = way, .radius = radius};
}

// However it is turned, a shape lies in a ball about its body's centre of mass.
static bool is_near(const CnQueryWalk* walk, const CnBody* body, const CnShape* shape) {
    if (shape->type == CN_SHAPE_PLANE) {
        return true;
    }
    double reach = walk->radius + shape->extent + cn_vec3_length(shape->local.position);
    CnVec3 start = cn_vec3_sub(body->state.center, walk->way.origin);
    double along = cn_vec3_dot(start, walk->way.direction);
    along = fmin(fmax(along, 0.0), walk->way.length);
    double distance = cn_vec3_length(cn_vec3_add_scaled(start, -along, walk->way.direction));
    return distance <= reach + SLACK * (reach + cn_vec3_length(start));
}

static bool accepts_type(const CnQueryFilter* filter, CnBodyType type) {
    return filter == NULL || !filter->ignore[type];
}

static bool accepts_shape(const CnQueryFilter* filter, CnBodyId id, const CnBody* body, int shape) {
    if (filter == NULL) {
        return true;
    }
    bool is_in_mask = filter->mask == 0 || (body->shapes[shape].category & filter->mask) != 0;
    return is_in_mask && (filter->accept == NULL || filter->accept(id, shape, filter->data));
}

bool cn_query_next(CnQueryWalk* walk, CnCandidate* candidate) {
    const CnWorld* world = walk->world;
    for (; walk->body < world->order.count; cn_query_skip_body(walk)) {
        const CnBody* body = cn_world_body_by_index(world, walk->body);
        if (!accepts_type(walk->filter, body->type)) {
            continue;
        }
        while (walk->shape < body->shape_count) {
            int shape = walk->shape++;
            CnBodyId id = world->order.data[walk->body];
            if (is_near(walk, body, &body->shapes[shape]) &&
                accepts_shape(walk->filter, id, body, shape)) {
                CnTransform pose = {body->state.center, body->state.rotation};
                *candidate = (CnCandidate){id, shape, cn_shape_place(&body->shapes[shape], pose)};
                return true;
            }
        }
    }
    return false;
}

void cn_query_skip_body(CnQueryWalk* walk) {
    ++walk->body;
    walk->shape = 0;
}

CnStatus cn_query_check_point(CnVec3 point, const char* name, CnError* error) {
    if (!cn_vec3_is_finite(point)) {
        return cn_error_set(error, CN_INVALID, "%s is (%g, %g, %g); it must be finite", name,
                            point.x, point.y, point.z);
    }
    return CN_OK;
}

CnStatus cn_query_check_translation(CnVec3 translation, CnError* error) {
    CnStatus status = cn_query_check_point(translation, "translation", error);
    if (status == CN_OK && !isfinite(cn_vec3_length(translation))) {
        status = cn_error_set(error, CN_INVALID,
                              "translation is (%g, %g, %g) m; its length must be a finite number",
                              translation.x, translation.y, translation.z);
    }
    return status;
}
