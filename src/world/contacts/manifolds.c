// manifolds.c - the manifolds of a step: contact points, with the impulses of the solve before.
#include "world/contacts/manifolds.h"

#include "base/error.h"
#include "base/tasks.h"
#include "world/contacts/contact_hooks.h"
#include "world/contacts/contacts.h"
#include "world/contacts/given_contacts.h"
#include "world/soft/soft_known.h"
#include "world/soft/soft_pack.h"

#include <math.h>
#include <string.h>

// A point of a pair before or after an update.
typedef struct Point {
    CnTouchPoint kept;
    float residual; // of the last solve [m/s]
    CnVec3 impulse; // as cn_pair_store_impulse()
    CnTouchExtras extras;
    CnVec3 point, normal;
    CnVec3 place[2]; // as A and B see it: from their centres, in their axes [m]
    bool is_known;   // old: its feature was found again
} Point;

typedef struct PointArray {
    Point* data;
    int count;
} PointArray;

static inline CnVec3 see(const CnTransform* pose, CnVec3 point) {
    return cn_quat_unrotate(pose->rotation, cn_vec3_sub(point, pose->position));
}

static CnTransform pose_of(const CnBodyState* state) {
    return (CnTransform){state->center, state->rotation};
}

void cn_manifold_bodies(const CnWorld* world, const CnManifold* manifold, int bodies[2]) {
    const CnPairRecord* record = &world->pairs.records.data[manifold->pair];
    if (record->given < 0) {
        bodies[0] = record->body[0];
        bodies[1] = record->body[1];
    } else {
        const CnGivenContact* given = cn_pool_at(&world->given_contacts, record->given);
        bodies[0] = cn_world_body_index(world, given->body_a);
        bodies[1] = cn_world_body_index(world, given->body_b);
    }
}

static int first_manifold(const CnWorld* world, int record) {
    return world->pairs.records.data[record].manifold;
}

static int count_points(const CnWorld* world, int record) {
    int count = 0;
    for (int m = first_manifold(world, record); m >= 0;
         m = cn_manifold_at(&world->pairs, m)->next) {
        count += cn_manifold_at(&world->pairs, m)->count;
    }
    return count;
}

// The points that a record has, where they were in the last solve.
static void read_points(const CnWorld* world, int record, PointArray* points) {
    const CnPairStore* store = &world->pairs;
    points->count = 0;
    for (int m = first_manifold(world, record); m >= 0; m = cn_manifold_at(store, m)->next) {
        const CnManifold* manifold = cn_manifold_at(store, m);
        int bodies[2];
        cn_manifold_bodies(world, manifold, bodies);
        for (int i = 0; i < manifold->count; ++i) {
            Point* point = &points->data[points->count++];
            *point = (Point){.kept = manifold->points[i],
                             .residual = manifold->tile.residual[i],
                             .impulse = cn_pair_store_impulse(store, m, i),
                             .point = cn_manifold_point(manifold, i),
                             .normal = cn_manifold_normal(manifold)};
            for (int side = 0; side < 2; ++side) {
                point->place[side] = see(&world->posed.data[bodies[side]], point->point);
            }
            if (store->has_extras) {
                point->extras = store->extras.data[m].points[i];
            }
        }
    }
}

static Point* find_feature(const PointArray* points, uint32_t feature) {
    for (int i = 0; i < points->count; ++i) {
        if (points->data[i].kept.feature == feature) {
            return &points->data[i];
        }
    }
    return NULL;
}

// A point that slides is fixed to one of the bodies, one that rolls to none.
static double distance_of(const CnVec3 a[2], const CnVec3 b[2]) {
    return fmin(cn_vec3_length(cn_vec3_sub(a[0], b[0])), cn_vec3_length(cn_vec3_sub(a[1], b[1])));
}

static Point* find_nearest(const PointArray* points, const CnVec3 place[2]) {
    Point* nearest = NULL;
    double least = HUGE_VAL;
    for (int i = 0; i < points->count; ++i) {
        double distance = distance_of(points->data[i].place, place);
        if (distance < least) {
            least = distance;
            nearest = &points->data[i];
        }
    }
    return nearest;
}

// What was found takes over what is known of it.
static void take_over(PointArray* old, PointArray* points) {
    for (int i = 0; i < points->count; ++i) {
        Point* point = &points->data[i];
        Point* before = find_feature(old, point->kept.feature);
        if (before != NULL) {
            before->is_known = true;
            point->kept.pressed = before->kept.pressed;
            point->kept.stuck = before->kept.stuck;
            point->kept.age = before->kept.age;
            point->residual = before->residual;
            point->impulse = before->impulse;
            point->extras = before->extras;
        }
    }
}

// Impulses whose features are gone.
static void hand_over(const PointArray* old, PointArray* points) {
    for (int i = 0; i < old->count; ++i) {
        const Point* before = &old->data[i];
        Point* nearest = before->is_known ? NULL : find_nearest(points, before->place);
        if (nearest != NULL) {
            nearest->impulse = cn_vec3_add(nearest->impulse, before->impulse);
            nearest->extras.moment = cn_vec3_add(nearest->extras.moment, before->extras.moment);
        }
    }
}

static double closing_rate(const CnBodyState* states, const int bodies[2], CnVec3 point,
                           CnVec3 normal) {
    double rate = 0.0;
    for (int side = 0; side < 2; ++side) {
        if (bodies[side] >= 0) {
            const CnBodyState* state = &states[bodies[side]];
            CnVec3 arm = cn_vec3_sub(point, state->center);
            CnVec3 v = cn_vec3_add(state->velocity, cn_vec3_cross(state->angular_velocity, arm));
            rate += (side == 0 ? -1.0 : 1.0) * cn_vec3_dot(normal, v);
        }
    }
    return rate;
}

static void follow_point(const CnLook* look, const int bodies[2], CnVec3 point, CnVec3 normal,
                         double* gap) {
    double now = closing_rate(look->now, bodies, point, normal);
    double then = closing_rate(look->before, bodies, point, normal);
    *gap += look->dt * (now - then);
}

// Points that were not found again stay: they follow those that were.
static void keep_lost(const CnLook* look, const int bodies[2], const PointArray* old,
                      PointArray* points) {
    for (int i = 0; i < old->count; ++i) {
        if (!old->data[i].is_known) {
            Point* point = &points->data[points->count++];
            *point = old->data[i];
            follow_point(look, bodies, point->point, point->normal, &point->kept.gap);
        }
    }
}

void cn_manifolds_follow(CnWorld* world, const CnLook* look) {
    for (int i = 0; i < world->step.manifolds.count; ++i) {
        CnManifold* manifold = cn_manifold_at(&world->pairs, world->step.manifolds.data[i]);
        int bodies[2];
        cn_manifold_bodies(world, manifold, bodies);
        for (int k = 0; k < manifold->count; ++k) {
            follow_point(look, bodies, cn_manifold_point(manifold, k), cn_manifold_normal(manifold),
                         &manifold->points[k].gap);
        }
    }
}

static bool is_same_normal(CnVec3 a, CnVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// How many of the points, from the first on, share its manifold.
static int count_run(const PointArray* points, int first) {
    int count = 1;
    while (count < CN_TILE_POINTS && first + count < points->count &&
           is_same_normal(points->data[first].normal, points->data[first + count].normal)) {
        ++count;
    }
    return count;
}

// Places, impulses and residuals of points that the manifold has not are zero.
static void clear_other_places(const CnPairStore* store, CnManifold* manifold) {
    for (int i = manifold->count; i < CN_TILE_POINTS; ++i) {
        cn_manifold_set_point(manifold, i, cn_vec3(0.0, 0.0, 0.0));
        if (cn_pair_store_has_rows(store)) {
            cn_manifold_set_impulse(manifold, i, cn_vec3(0.0, 0.0, 0.0));
        }
        manifold->tile.residual[i] = 0.0f;
    }
}

static void write_manifold(CnPairStore* store, int index, const Point* points, int count) {
    CnManifold* manifold = cn_manifold_at(store, index);
    manifold->count = count;
    cn_pair_store_unframe(store, index);
    cn_manifold_set_normal(manifold, points[0].normal);
    manifold->has_tile = false;
    for (int i = 0; i < count; ++i) {
        manifold->points[i] = points[i].kept;
        manifold->approach[i] = 0.0f;
        cn_pair_store_set_impulse(store, index, i, points[i].impulse);
        manifold->tile.residual[i] = points[i].residual;
        cn_manifold_set_point(manifold, i, points[i].point);
        if (store->has_extras) {
            store->extras.data[index].points[i] = points[i].extras;
        }
    }
    clear_other_places(store, manifold);
}

// The manifold that follows another one of a record, or the first; one is added if there is none.
// CN_NONE: no memory.
static int next_manifold(CnPairStore* store, int record, int last) {
    int next = last < 0 ? store->records.data[record].manifold : cn_manifold_at(store, last)->next;
    if (next >= 0) {
        return cn_pair_store_save_manifold(store, next) ? next : CN_NONE;
    }
    next = cn_pair_store_add_manifold(store, record);
    if (next >= 0 && last < 0) {
        store->records.data[record].manifold = next;
    } else if (next >= 0) {
        cn_manifold_at(store, last)->next = next;
    }
    return next;
}

// Manifolds of a record beyond the last one that has points.
static void drop_rest(CnPairStore* store, int record, int last) {
    int* link =
        last < 0 ? &store->records.data[record].manifold : &cn_manifold_at(store, last)->next;
    int next = *link;
    *link = CN_NONE;
    while (next >= 0) {
        int dropped = next;
        next = cn_manifold_at(store, next)->next;
        cn_pair_store_drop_manifold(store, dropped);
    }
}

static CnStatus write_points(CnPairStore* store, int record, const PointArray* points) {
    int last = CN_NONE;
    for (int first = 0; first < points->count;) {
        int count = count_run(points, first);
        int next = next_manifold(store, record, last);
        if (next < 0) {
            return CN_NO_MEMORY;
        }
        write_manifold(store, next, points->data + first, count);
        first += count;
        last = next;
    }
    drop_rest(store, record, last);
    return CN_OK;
}

// Whether found points go into one manifold.
static bool is_one_run(const CnManifoldPoint* found, int count) {
    bool is_one = count > 0 && count <= CN_TILE_POINTS;
    for (int i = 1; is_one && i < count; ++i) {
        is_one = is_same_normal(found[0].normal, found[i].normal);
    }
    return is_one;
}

static CnTransform look_pose(const CnWorld* world, const CnLook* look, int body) {
    return pose_of(look->states == NULL ? &world->bodies.data[body].state : &look->states[body]);
}

// Whether a record has one manifold or none, and gets one.
static bool is_one_manifold(const CnPairStore* store, int record, const CnManifoldPoint* found,
                            int count) {
    int index = store->records.data[record].manifold;
    return !store->has_extras && (index < 0 || cn_manifold_at(store, index)->next < 0) &&
           is_one_run(found, count);
}

// What is left of the last solve at the points that a manifold had.
typedef struct OldPoints {
    int count;
    unsigned known; // a bit for each whose feature was found again
    CnTouchPoint kept[CN_TILE_POINTS];
    CnVec3 impulse[CN_TILE_POINTS];
    float residual[CN_TILE_POINTS];
} OldPoints;

static void keep_old(const CnPairStore* store, int index, OldPoints* old) {
    const CnManifold* manifold = cn_manifold_at(store, index);
    old->count = manifold->count;
    old->known = 0;
    for (int i = 0; i < old->count; ++i) {
        old->kept[i] = manifold->points[i];
        old->impulse[i] = cn_pair_store_impulse(store, index, i);
        old->residual[i] = manifold->tile.residual[i];
    }
}

// The one that is found again at a point; CN_NONE: none.
static int take_old(OldPoints* old, uint32_t feature) {
    for (int i = 0; i < old->count; ++i) {
        if (old->kept[i].feature == feature) {
            old->known |= 1u << i;
            return i;
        }
    }
    return CN_NONE;
}

// Points side by side, so that all are seen at once; those that do not exist are anywhere.
typedef struct PointColumns {
    double x[CN_TILE_POINTS], y[CN_TILE_POINTS], z[CN_TILE_POINTS];
} PointColumns;

static CnVec3 column(const PointColumns* points, int i) {
    return cn_vec3(points->x[i], points->y[i], points->z[i]);
}

static void set_column(PointColumns* points, int i, CnVec3 point) {
    points->x[i] = point.x;
    points->y[i] = point.y;
    points->z[i] = point.z;
}

static PointColumns see_all(const CnTransform* pose, const PointColumns* points) {
    PointColumns seen;
    for (int i = 0; i < CN_TILE_POINTS; ++i) {
        set_column(&seen, i, see(pose, column(points, i)));
    }
    return seen;
}

// hand_over() from the points of a manifold that were not found again to the impulses of those
// found.
static void hand_over_old(const CnWorld* world, const CnLook* look, const CnManifold* manifold,
                          const OldPoints* old, const CnManifoldPoint* found, int count,
                          CnVec3* impulse) {
    PointColumns points = {0}, old_points, places[2], old_places[2];
    memcpy(&old_points, manifold->tile.point, sizeof old_points);
    for (int i = 0; i < count; ++i) {
        set_column(&points, i, found[i].point);
    }
    for (int side = 0; side < 2; ++side) {
        int body = world->pairs.records.data[manifold->pair].body[side];
        CnTransform pose = look_pose(world, look, body);
        places[side] = see_all(&pose, &points);
        old_places[side] = see_all(&world->posed.data[body], &old_points);
    }
    for (int k = 0; k < old->count; ++k) {
        const CnVec3 place[2] = {column(&old_places[0], k), column(&old_places[1], k)};
        int nearest = CN_NONE;
        double least = HUGE_VAL;
        for (int i = 0; (old->known >> k & 1u) == 0 && i < count; ++i) {
            const CnVec3 there[2] = {column(&places[0], i), column(&places[1], i)};
            double distance = distance_of(there, place);
            nearest = distance < least ? i : nearest;
            least = distance < least ? distance : least;
        }
        if (nearest >= 0) {
            impulse[nearest] = cn_vec3_add(impulse[nearest], old->impulse[k]);
        }
    }
}
_Static_assert(sizeof(PointColumns) == sizeof(((CnContactTile*)NULL)->point), "points of a tile");

// The same as match_points() and write_manifold() for one manifold, where it lies.
static void update_in_place(CnWorld* world, const CnLook* look, int index,
                            const CnManifoldPoint* found, int count) {
    CnPairStore* store = &world->pairs;
    CnManifold* manifold = cn_manifold_at(store, index);
    CnVec3 impulse[CN_TILE_POINTS];
    int same[CN_TILE_POINTS];
    OldPoints old;
    keep_old(store, index, &old);
    for (int i = 0; i < count; ++i) {
        same[i] = take_old(&old, found[i].feature);
        impulse[i] = same[i] < 0 ? cn_vec3(0.0, 0.0, 0.0) : old.impulse[same[i]];
    }
    if (old.known + 1u != 1u << old.count) {
        hand_over_old(world, look, manifold, &old, found, count, impulse);
    }
    manifold->count = count;
    manifold->is_framed = false;
    cn_manifold_set_normal(manifold, found[0].normal);
    manifold->has_tile = false;
    for (int i = 0; i < count; ++i) {
        CnTouchPoint* point = &manifold->points[i];
        *point = same[i] < 0 ? (CnTouchPoint){0} : old.kept[same[i]];
        manifold->tile.residual[i] = same[i] < 0 ? 0.0f : old.residual[same[i]];
        manifold->approach[i] = 0.0f;
        cn_manifold_set_point(manifold, i, found[i].point);
        point->gap = found[i].gap;
        point->feature = found[i].feature;
        cn_pair_store_set_impulse(store, index, i, impulse[i]);
    }
    clear_other_places(store, manifold);
}

static void note_places(CnWorld* world, CnPairRecord* record, double margin) {
    for (int side = 0; side < 2; ++side) {
        int body = record->body[side];
        record->epoch[side] = world->places.data[body].epoch;
        record->ahead[side] = world->places.data[body].ahead;
    }
    record->margin = margin;
}

static void see_found(const CnManifoldPoint* found, const CnTransform poses[2], Point* point) {
    *point = (Point){
        .kept = {.gap = found->gap, .feature = found->feature},
        .point = found->point,
        .normal = found->normal,
    };
    for (int side = 0; side < 2; ++side) {
        point->place[side] = see(&poses[side], found->point);
    }
}

// The points that a search found, with what is known of the old ones; there is room for all of
// them.
static void match_points(const CnWorld* world, const CnLook* look, const CnFoundPair* found,
                         const CnManifoldPoint* found_points, PointArray* old, PointArray* points) {
    const CnPairRecord* record = &world->pairs.records.data[found->record];
    int bodies[2] = {record->body[0], record->body[1]};
    CnTransform poses[2] = {look_pose(world, look, bodies[0]), look_pose(world, look, bodies[1])};
    read_points(world, found->record, old);
    points->count = found->count;
    for (int i = 0; i < found->count; ++i) {
        see_found(&found_points[i], poses, &points->data[i]);
    }
    take_over(old, points);
    if (look->before != NULL) {
        keep_lost(look, bodies, old, points);
    } else {
        hand_over(old, points);
    }
}

// The points that a search found become those of the record.
static CnStatus replace_points(CnWorld* world, const CnLook* look, const CnFoundPair* found,
                               int old_count) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    PointArray old = {.data = CN_ARENA_RAW(&world->arena, Point, old_count)};
    PointArray points = {.data = CN_ARENA_RAW(&world->arena, Point, old_count + found->count)};
    CnStatus status = CN_NO_MEMORY;
    if (old.data != NULL && points.data != NULL) {
        match_points(world, look, found, cn_found_points(world, found), &old, &points);
        status = write_points(&world->pairs, found->record, &points);
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

static void note_found(CnWorld* world, const CnFoundPair* found) {
    CnPairRecord* record = &world->pairs.records.data[found->record];
    note_places(world, record, found->margin);
    if (found->count > 0) {
        cn_contact_keep_surface(world, record);
    } else {
        record->end_gap = HUGE_VAL;
    }
}

static CnStatus update_record(CnWorld* world, const CnLook* look, const CnFoundPair* found) {
    CnPairStore* store = &world->pairs;
    const CnManifoldPoint* points = cn_found_points(world, found);
    cn_soft_flush_record(world, found->record);
    if (!cn_pair_store_save_record(store, found->record)) {
        return CN_NO_MEMORY;
    }
    const CnPairRecord* record = &store->records.data[found->record];
    note_found(world, found);
    if (found->count > 0) {
        cn_sleep_note_found(world, record->body[0], record->body[1]);
    }
    if (record->manifold < 0 && found->count == 0) {
        return CN_OK;
    }
    if (look->before == NULL && is_one_manifold(store, found->record, points, found->count)) {
        int index = next_manifold(store, found->record, CN_NONE);
        if (index >= 0) {
            update_in_place(world, look, index, points, found->count);
        }
        return index < 0 ? CN_NO_MEMORY : CN_OK;
    }
    return replace_points(world, look, found, count_points(world, found->record));
}

// ---- by the worker that found them ----

// Whether what becomes of a pair is in its record, and in the one manifold that it has and keeps.
static bool is_own_affair(const CnPairStore* store, int index, const CnManifoldPoint* points,
                          int count) {
    int manifold = store->records.data[index].manifold;
    return manifold < 0 ? count == 0
                        : cn_manifold_at(store, manifold)->next < 0 && is_one_run(points, count);
}

static void update_alone(const CnSearch* search, const CnFoundPair* found,
                         const CnManifoldPoint* points) {
    CnWorld* world = search->world;
    int index = world->pairs.records.data[found->record].manifold;
    if (is_one_manifold(&world->pairs, found->record, points, found->count)) {
        update_in_place(world, search->look, index, points, found->count);
        return;
    }
    Point old_memory[CN_TILE_POINTS], memory[CN_TILE_POINTS];
    PointArray old = {old_memory, 0}, matched = {memory, 0};
    match_points(world, search->look, found, points, &old, &matched);
    write_manifold(&world->pairs, index, matched.data, matched.count);
}

// The same as update_record().
static bool take_found(const CnSearch* search, CnFoundPair* found, const CnManifoldPoint* points) {
    CnWorld* world = search->world;
    CnPairStore* store = &world->pairs;
    CnSearchScratch* scratch = &world->search[found->worker];
    if (!is_own_affair(store, found->record, points, found->count)) {
        return true;
    }
    int manifold = store->records.data[found->record].manifold;
    cn_soft_flush_record(world, found->record);
    if (!cn_pair_store_save_by_worker(store, found->worker, found->record, manifold)) {
        return false;
    }
    note_found(world, found);
    if (manifold >= 0) {
        update_alone(search, found, points);
        ++scratch->changes;
    }
    found->is_taken = true;
    return cn_soft_take_found(world, found->record, &scratch->renewed);
}

static bool is_belt(const CnMaterial* material) {
    CnVec3 v = material->surface_velocity;
    return v.x != 0.0 || v.y != 0.0 || v.z != 0.0;
}

// Whether some contact point may have extras. Every material is looked at once.
static bool needs_extras(CnWorld* world) {
    bool needs = world->def.step.friction_bias > 0.0 ||
                 world->def.step.scheme == CN_SCHEME_IMPLICIT ||
                 world->def.contact_hooks.material != NULL;
    int count = cn_pool_slot_count(&world->materials);
    while (!needs && world->plain_materials < count) {
        const CnMaterial* material = cn_pool_at(&world->materials, world->plain_materials);
        needs = material != NULL &&
                (material->torsion > 0.0 || material->rolling > 0.0 || is_belt(material));
        world->plain_materials += needs ? 0 : 1;
    }
    return needs;
}

// Scheme soft_step keeps impulses apart and does without rows of tiles, unless a body is exact.
// Others have them since they were chosen. False: no memory.
static bool suit_scheme(CnWorld* world) {
    if (world->def.step.scheme != CN_SCHEME_SOFT_STEP) {
        CN_ASSERT(cn_pair_store_has_rows(&world->pairs));
        return true;
    }
    CN_ASSERT(world->exact_count == 0 || cn_pair_store_has_rows(&world->pairs));
    if (world->exact_count == 0) {
        cn_pair_store_use_frames(&world->pairs);
    }
    return cn_pair_store_keep_apart(&world->pairs);
}

CnStatus cn_manifolds_begin(CnWorld* world, const CnLook* look, CnSearch* search) {
    if (!suit_scheme(world) ||
        (!world->pairs.has_extras && needs_extras(world) &&
         !cn_pair_store_need_extras(&world->pairs)) ||
        !cn_pair_store_reserve_logs(&world->pairs, world->workspace_count)) {
        return CN_NO_MEMORY;
    }
    CnStatus status = cn_search_begin(world, CN_SEARCH_OUT_OF_DATE, search);
    bool may_wake = world->sleeping.bodies > 0; // bodies that pairs share
    search->take = may_wake || look->before != NULL ? NULL : take_found;
    search->look = look;
    // The first search of a world finds most of what there will be: no room is left idle.
    bool is_first = world->pairs.manifolds.capacity == 0;
    if (status == CN_OK && is_first &&
        !cn_pair_store_reserve_manifolds(&world->pairs, search->look_count)) {
        status = CN_NO_MEMORY;
    }
    return status;
}

// What workers have noted of the manifolds that they took over. False: no memory.
static bool gather_taken(CnWorld* world) {
    bool ok = true;
    for (int i = 0; i < world->workspace_count; ++i) {
        CnSearchScratch* scratch = &world->search[i];
        world->pairs.changes += scratch->changes;
        scratch->changes = 0;
        ok = cn_soft_note_renewed(world, &scratch->renewed) && ok;
        scratch->renewed.count = 0;
    }
    return ok;
}

CnStatus cn_manifolds_take(CnWorld* world, const CnLook* look, const CnSearch* search) {
    CnStatus status = cn_search_end(world);
    status = gather_taken(world) ? status : CN_NO_MEMORY;
    for (int i = search->first_found; status == CN_OK && i < search->found_stop; ++i) {
        if (!search->found[i].is_taken) {
            status = update_record(world, look, &search->found[i]);
        }
    }
    return status;
}

// A pair that the step has lost has no points, like one whose bounds do not meet: should it be
// found again, it begins from there, whichever of the two happened to it.
static CnStatus empty_lost(CnWorld* world, const CnLook* look) {
    const CnPairSet* set = &world->broad_phase.set;
    CnStatus status = CN_OK;
    for (int i = 0; status == CN_OK && i < set->lost.count; ++i) {
        CnFoundPair none = {.record = set->lost_records.data[i]};
        if (none.record != CN_NO_RECORD && !world->pairs.records.data[none.record].is_gone &&
            world->pairs.records.data[none.record].manifold >= 0) {
            status = update_record(world, look, &none);
        }
    }
    return status;
}

CnStatus cn_manifolds_end(CnWorld* world, const CnLook* look) {
    CnStatus status = empty_lost(world, look);
    if (status == CN_OK) {
        status = cn_given_contacts_update(world, look->states, look->dt);
    }
    if (status == CN_OK && world->def.step.scheme == CN_SCHEME_SOFT_STEP) {
        cn_soft_note_search(world);
    }
    return status == CN_OK ? cn_manifolds_list(world, look->states) : status;
}

CnStatus cn_manifolds_update(CnWorld* world, const CnLook* look) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnSearch search;
    CnStatus status = cn_manifolds_begin(world, look, &search);
    while (status == CN_OK && cn_search_next(&search)) {
        cn_tasks_for(&world->def.tasks, search.part_looks, CN_SEARCH_GRAIN, cn_search_range,
                     &search);
        status = cn_manifolds_take(world, look, &search);
    }
    status = status == CN_OK ? cn_manifolds_end(world, look) : status;
    cn_arena_release(&world->arena, mark);
    return status;
}
