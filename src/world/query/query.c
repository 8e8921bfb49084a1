// query.c - walking over the shapes that a query may see.
#include "world/query/query.h"

#include "base/error.h"

static void begin(CnQueryWalk* walk, const CnWorld* world, const CnQueryFilter* filter) {
    walk->world = world;
    walk->filter = filter;
    walk->looks_at_all = world->stepping || !world->broad_phase.complete;
    walk->next = 0;
}

void cn_query_begin_along(CnQueryWalk* walk, const CnWorld* world, const CnQueryFilter* filter,
                          const CnBounds* box, CnRay way) {
    begin(walk, world, filter);
    cn_tree_walk_along(&walk->near, world->broad_phase.trees, 2, box, way);
}

void cn_query_begin_around(CnQueryWalk* walk, const CnWorld* world, const CnQueryFilter* filter,
                           const CnBounds* box) {
    begin(walk, world, filter);
    cn_tree_walk_around(&walk->near, world->broad_phase.trees, 2, box);
}

static bool accepts(const CnQueryFilter* filter, CnBodyId id, const CnBody* body,
                    CnShapeId shape_id, const CnShape* own) {
    if (filter == NULL) {
        return !own->sensor;
    }
    bool is_in_mask = filter->mask == 0 || (own->category & filter->mask) != 0;
    bool is_sought = !own->sensor || filter->sensors;
    return !filter->ignore[body->type] && is_in_mask && is_sought &&
           (filter->accept == NULL || filter->accept(id, shape_id, filter->data));
}

bool cn_query_look_at(const CnQueryWalk* walk, int proxy, CnCandidate* candidate) {
    const CnWorld* world = walk->world;
    const CnWorldShape* shape = cn_pool_at(&world->shapes, proxy);
    if (shape == NULL || world->bodies.data[shape->body].disabled) {
        return false;
    }
    const CnBody* body = &world->bodies.data[shape->body];
    CnBodyId id = world->order.data[shape->body];
    CnShapeId shape_id = cn_world_shape_id(world, proxy);
    if (!accepts(walk->filter, id, body, shape_id, shape->shape)) {
        return false;
    }
    CnTransform pose = {body->state.center, body->state.rotation};
    *candidate = (CnCandidate){
        .body = id,
        .order = shape->body,
        .shape = shape_id,
        .number = shape->number,
        .proxy = proxy,
        .placed = cn_world_shape_placed(world, shape, pose),
    };
    return true;
}

static bool next_proxy(CnQueryWalk* walk, int* proxy) {
    const CnBroadPhase* phase = &walk->world->broad_phase;
    int listed = walk->looks_at_all ? phase->proxies.count : phase->unbounded.count;
    if (walk->next < listed) {
        *proxy = walk->looks_at_all ? walk->next : phase->unbounded.data[walk->next];
        ++walk->next;
        return true;
    }
    return !walk->looks_at_all && cn_tree_walk_next(&walk->near, proxy);
}

bool cn_query_next(CnQueryWalk* walk, CnCandidate* candidate) {
    int proxy;
    while (next_proxy(walk, &proxy)) {
        if (cn_query_look_at(walk, proxy, candidate)) {
            return true;
        }
    }
    return false;
}

bool cn_query_is_before(const CnQueryWalk* walk, const CnCandidate* candidate, CnShapeId shape) {
    const CnWorldShape* other = cn_world_shape_at(walk->world, (int)shape.index - 1);
    return candidate->order != other->body ? candidate->order < other->body
                                           : candidate->number < other->number;
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
