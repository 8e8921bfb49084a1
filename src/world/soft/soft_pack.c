// soft_pack.c - scheme soft_step: between the stores of the world and rows and tiles of floats.
#include "world/soft/soft_pack.h"

#include "base/fetch.h"
#include "world/bodies/body_shapes.h"
#include "world/bodies/motion.h"
#include "world/contacts/contact_friction.h"
#include "world/contacts/contact_hooks.h"
#include "world/contacts/contacts.h"
#include "world/contacts/search.h"
#include "world/soft/soft_known.h"
#include "world/soft/soft_warm_start.h"
#include "world/step/step_check.h"
#include "world/world.h"

#include <stddef.h>
#include <string.h>

// ---- contacts ----

CnSoftFrame cn_soft_frame(const CnContact* contact) {
    CnFrictionRows rows = cn_contact_friction_rows(contact);
    bool swaps = rows.row[1].scale > rows.row[0].scale;
    CnSoftFrame frame = {.normal = contact->normal};
    double most = swaps ? rows.row[1].scale : rows.row[0].scale;
    double least = swaps ? rows.row[0].scale : rows.row[1].scale;
    frame.friction = rows.friction * most;
    frame.across = most > 0.0 ? least / most : 1.0;
    frame.tangent[0] = swaps ? rows.row[1].direction : rows.row[0].direction;
    frame.tangent[1] = cn_vec3_cross(frame.normal, frame.tangent[0]);
    return frame;
}

CnContact cn_soft_contact(const CnWorld* world, int index) {
    const CnManifold* manifold = cn_manifold_at(&world->pairs, index);
    CnContact contact = cn_manifold_contact(world, manifold, NULL);
    cn_contact_set_point(&contact, manifold, 0, NULL);
    if (world->def.contact_hooks.material != NULL) {
        cn_contact_hooks_set_material(world, &contact);
    }
    return contact;
}

static void set_direction(CnContactTile* tile, int row, CnVec3 direction) {
    tile->direction[row][0] = direction.x;
    tile->direction[row][1] = direction.y;
    tile->direction[row][2] = direction.z;
}

// A number in single precision. In line, gcc 12 leaves the rounding out where it makes a vector of
// such numbers.
static __attribute__((noinline)) double rounded(double number) {
    return (double)(float)number;
}

static CnVec3 rounded_vector(CnVec3 v) {
    return cn_vec3(rounded(v.x), rounded(v.y), rounded(v.z));
}

// In single precision, as lanes have them.
void cn_soft_set_directions(CnContactTile* tile, const CnSoftFrame* frame) {
    CnVec3 along = rounded_vector(frame->tangent[0]);
    CnVec3 across = cn_vec3_cross(frame->normal, along);
    set_direction(tile, 0, frame->normal);
    set_direction(tile, 1, along);
    set_direction(tile, 2, cn_vec3_scale(rounded(frame->across), across));
}

// Impulses for the next step are in single precision, with rows too.
static void round_impulses(CnPairStore* store, int index) {
    for (int i = 0; cn_pair_store_has_rows(store) && i < CN_TILE_POINTS; ++i) {
        CnVec3* kept = &store->kept.data[index].points[i];
        *kept = rounded_vector(*kept);
    }
}

void cn_soft_pose_manifold(CnWorld* world, int index) {
    CnManifold* manifold = cn_manifold_at(&world->pairs, index);
    int bodies[2];
    cn_manifold_bodies(world, manifold, bodies);
    manifold->has_tile = true;
    manifold->is_solved = true; // its impulses are newer than those of its lane
    cn_soft_forget_note(world, index);
    manifold->is_wide = false;
    manifold->is_framed = true; // what is in the tile, for readers
    manifold->tile.body_a = bodies[0];
    manifold->tile.body_b = bodies[1];
    manifold->tile.row_count = 3;
    manifold->tile.acting = (1u << manifold->count) - 1u;
    round_impulses(&world->pairs, index);
}

// What loads a lane is compiled twice: for a single point of plain surfaces, which most contacts of
// a heap are, it is less than half.
#define LANE_FUNCTION static inline __attribute__((always_inline))

LANE_FUNCTION CnVec3 center_of_points(const CnManifold* manifold, CnSoftLanes points) {
    CnVec3 sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < points.count; ++i) {
        sum = cn_vec3_add(sum, cn_manifold_point(manifold, points.first + i));
    }
    return cn_vec3_scale(1.0 / points.count, sum);
}

static bool is_row(const CnWorld* world, int body) {
    return body >= 0 && world->bodies.data[body].type != CN_BODY_STATIC;
}

// How far a point of a body is from where it was when the body was placed.
static CnVec3 motion_of(const CnWorld* world, int body, CnVec3 point) {
    if (!is_row(world, body)) {
        return cn_vec3(0.0, 0.0, 0.0);
    }
    const CnTransform* place = &world->places.data[body].pose;
    const CnBodyState* state = &world->bodies.data[body].state;
    CnVec3 local = cn_quat_unrotate(place->rotation, cn_vec3_sub(point, place->position));
    return cn_vec3_sub(cn_vec3_add(state->center, cn_quat_rotate(state->rotation, local)), point);
}

// How two surfaces meet in a manifold.
typedef struct LaneSurface {
    CnSoftFrame frame;
    int body[2];   // indices; negative: what does not move
    bool is_given; // by hand
    double hold;   // friction of a contact that sticks is larger by this factor
    double torsion, rolling, restitution;
    CnVec3 belt; // velocity of the surfaces against each other [m/s]
} LaneSurface;

// Two plain surfaces: the same as surface_of() finds for them.
LANE_FUNCTION LaneSurface plain_surface(const CnPairRecord* record, const CnManifold* manifold) {
    CnVec3 normal = cn_manifold_normal(manifold), along, across;
    cn_tangent_basis(normal, &along, &across);
    return (LaneSurface){
        .frame = {normal, {along, cn_vec3_cross(normal, along)}, record->friction, 1.0},
        .body = {record->body[0], record->body[1]},
        .is_given = false,
        .hold = 1.0,
        .torsion = 0.0,
        .rolling = 0.0,
        .restitution = record->restitution,
        .belt = {0.0, 0.0, 0.0},
    };
}

static bool are_plain(const CnWorld* world, const CnPairRecord* record) {
    return record->given < 0 && record->surfaces == world->surfaces &&
           world->def.contact_hooks.material == NULL;
}

static LaneSurface surface_of(const CnWorld* world, int index) {
    const CnManifold* manifold = cn_manifold_at(&world->pairs, index);
    const CnPairRecord* record = &world->pairs.records.data[manifold->pair];
    if (are_plain(world, record)) {
        return plain_surface(record, manifold);
    }
    CnContact contact = cn_soft_contact(world, index);
    return (LaneSurface){
        .frame = cn_soft_frame(&contact),
        .body = {contact.body_a, contact.body_b},
        .is_given = contact.given >= 0,
        .hold = contact.hold,
        .torsion = contact.torsion,
        .rolling = contact.rolling,
        .restitution = contact.restitution,
        .belt = cn_contact_surface_velocity(&contact),
    };
}

// Contacts given by hand are measured where bodies are, all others where they were placed.
static double gap_at_places(const CnWorld* world, const LaneSurface* surface, double gap,
                            CnVec3 point) {
    if (!surface->is_given) {
        return gap;
    }
    CnVec3 moved = cn_vec3_sub(motion_of(world, surface->body[1], point),
                               motion_of(world, surface->body[0], point));
    return gap - cn_vec3_dot(surface->frame.normal, moved);
}

double cn_soft_gap_now(const CnWorld* world, const CnContact* contact) {
    CnVec3 moved = cn_vec3_sub(motion_of(world, contact->body_b, contact->point),
                               motion_of(world, contact->body_a, contact->point));
    return contact->given < 0 ? contact->gap + cn_vec3_dot(contact->normal, moved) : contact->gap;
}

// rows: bodies that move have one; NULL: that body does not.
LANE_FUNCTION void load_frame(const CnWorld* world, const LaneSurface* surface,
                              const CnBody* const rows[2], CnVec3 center, int lane,
                              CnSoftTile* tile) {
    const CnSoftFrame* frame = &surface->frame;
    const CnVec3 axes[3] = {frame->normal, frame->tangent[0], frame->tangent[1]};
    float(*to[3])[CN_SOFT_LANES] = {tile->normal, tile->tangent[0], tile->tangent[1]};
    for (int i = 0; i < 3; ++i) {
        to[i][0][lane] = (float)axes[i].x;
        to[i][1][lane] = (float)axes[i].y;
        to[i][2][lane] = (float)axes[i].z;
    }
    for (int side = 0; side < 2; ++side) {
        CnVec3 arm = {0.0, 0.0, 0.0};
        if (rows[side] != NULL) {
            arm = cn_vec3_sub(center, world->places.data[surface->body[side]].pose.position);
        }
        tile->arm[side][0][lane] = (float)arm.x;
        tile->arm[side][1][lane] = (float)arm.y;
        tile->arm[side][2][lane] = (float)arm.z;
    }
}

// A contact that stuck in the last step holds with its static friction.
static double hold_of(const LaneSurface* surface, const CnManifold* manifold) {
    bool holds = manifold->has_hold && manifold->points[0].pressed && manifold->points[0].stuck;
    return holds ? surface->hold : 1.0;
}

LANE_FUNCTION void load_surface(const LaneSurface* surface, double hold, int lane, bool is_plain,
                                CnSoftTile* tile) {
    const CnSoftFrame* frame = &surface->frame;
    tile->friction[lane] = (float)(frame->friction * hold);
    tile->across[lane] = (float)frame->across;
    tile->restitution[lane] = (float)surface->restitution;
    if (!is_plain && tile->slots == CN_SOFT_MOST_SLOTS) {
        tile->torsion[lane] = (float)surface->torsion;
        tile->rolling[lane] = (float)surface->rolling;
        tile->has_rolling = tile->has_rolling || tile->rolling[lane] > 0.0f;
    }
    for (int i = 0; i < 2; ++i) {
        tile->belt[i][lane] =
            is_plain ? 0.0f : (float)cn_vec3_dot(frame->tangent[i], surface->belt);
        tile->has_belt = tile->has_belt || tile->belt[i][lane] != 0.0f;
    }
    tile->has_bounce = tile->has_bounce || tile->restitution[lane] > 0.0f;
}

LANE_FUNCTION void load_impulses(const CnWorld* world, double ratio, int index, CnSoftLanes points,
                                 int lane, bool is_single, CnSoftTile* tile) {
    const CnManifold* manifold = cn_manifold_at(&world->pairs, index);
    double slide[2] = {0.0, 0.0}, twist = 0.0, roll[2] = {0.0, 0.0};
    for (int i = 0; i < points.count; ++i) {
        CnVec3 kept = cn_pair_store_impulse(&world->pairs, index, points.first + i);
        const CnTouchExtras* extras = cn_touch_extras(&world->pairs, index, points.first + i);
        tile->point[i].push.now[lane] = (float)(ratio * kept.x);
        slide[0] += kept.y;
        slide[1] += kept.z;
        twist += is_single ? 0.0 : (double)manifold->tile.twist[points.first + i];
        if (extras != NULL) {
            roll[0] += extras->moment.x;
            roll[1] += extras->moment.y;
        }
    }
    for (int i = 0; i < 2; ++i) {
        tile->slide.now[i][lane] = (float)(ratio * slide[i]);
        if (!is_single && tile->slots == CN_SOFT_MOST_SLOTS) {
            tile->roll.now[i][lane] = (float)(ratio * roll[i]);
        }
    }
    if (!is_single) {
        tile->twist.now[lane] = (float)(ratio * twist);
    }
}

// Where a point is in the frame of its manifold; one that does not exist is at the centroid.
LANE_FUNCTION void load_point(const LaneSurface* surface, int i, bool exists, CnVec3 arm,
                              double gap, int lane, bool is_single, CnSoftTile* tile) {
    unsigned others = tile->exists[i] & ~(1u << lane);
    tile->exists[i] = (uint8_t)(others | (exists ? 1u << lane : 0u));
    tile->point[i].gap[lane] = (float)gap;
    tile->point[i].push.now[lane] = 0.0f;
    if (!is_single) {
        tile->u[i][lane] = (float)cn_vec3_dot(surface->frame.tangent[0], arm);
        tile->w[i][lane] = (float)cn_vec3_dot(surface->frame.tangent[1], arm);
    }
}

// Rate of the gap of a point before the step [m/s], for events.
LANE_FUNCTION double approach_of(const LaneSurface* surface, const CnBody* const rows[2],
                                 CnVec3 point) {
    double rate = 0.0;
    for (int side = 0; side < 2; ++side) {
        if (rows[side] != NULL) {
            const CnBodyState* state = &rows[side]->state;
            CnVec3 turning =
                cn_vec3_cross(state->angular_velocity, cn_vec3_sub(point, state->center));
            double own = cn_vec3_dot(surface->frame.normal, cn_vec3_add(state->velocity, turning));
            rate += side == 0 ? -own : own;
        }
    }
    return rate;
}

LANE_FUNCTION void load_lane_of(const CnWorld* world, int place, double ratio, bool is_single,
                                bool is_plain, CnSoftTile* tile) {
    int index = world->soft->manifold.data[place], lane = place % CN_SOFT_LANES;
    CnManifold* manifold = cn_manifold_at(&world->pairs, index);
    CnSoftLanes points = cn_soft_points_of(world, place);
    points.count = is_single ? 1 : points.count;
    const CnPairRecord* record = &world->pairs.records.data[manifold->pair];
    LaneSurface surface = is_plain ? plain_surface(record, manifold) : surface_of(world, index);
    const CnBody* rows[2];
    for (int side = 0; side < 2; ++side) {
        int body = surface.body[side];
        rows[side] = is_row(world, body) ? &world->bodies.data[body] : NULL;
    }
    CnVec3 center = center_of_points(manifold, points);
    manifold->has_hold = surface.hold > 1.0;
    manifold->is_belt = cn_vec3_dot(surface.belt, surface.belt) > 0.0;
    manifold->is_solved = false;
    if (index < world->soft->notes.count) {
        world->soft->notes.data[index].is_new = false;
    }
    load_frame(world, &surface, rows, center, lane, tile);
    load_surface(&surface, hold_of(&surface, manifold), lane, is_plain, tile);
    for (int i = 0; i < (is_single ? 1 : CN_SOFT_POINTS); ++i) {
        bool exists = i < points.count;
        int point = points.first + i;
        CnVec3 arm = {0.0, 0.0, 0.0};
        double gap = 0.0;
        if (exists) {
            CnVec3 at = cn_manifold_point(manifold, point);
            arm = cn_vec3_sub(at, center);
            gap = gap_at_places(world, &surface, manifold->points[point].gap, at);
            manifold->approach[point] = (float)approach_of(&surface, rows, at);
        }
        load_point(&surface, i, exists, arm, gap, lane, is_single, tile);
    }
    bool asks = cn_soft_asks_policy(world);
    load_impulses(world, asks ? 1.0 : ratio, index, points, lane, is_single, tile);
    if (asks) {
        cn_soft_ask_contact(world, index, points, lane, tile);
    }
}

static void load_lane(const CnWorld* world, int place, double ratio, CnSoftTile* tile) {
    const CnManifold* manifold = cn_manifold_at(&world->pairs, world->soft->manifold.data[place]);
    bool is_single = tile->slots == 1;
    if (is_single && are_plain(world, &world->pairs.records.data[manifold->pair])) {
        load_lane_of(world, place, ratio, true, true, tile);
    } else {
        load_lane_of(world, place, ratio, is_single, false, tile);
    }
}

// What loading a lane reads, ahead of it: manifolds, their impulses and records are far apart in
// memory.
static void fetch_lane(const CnWorld* world, int place) {
    int index = world->soft->manifold.data[place];
    if (index >= 0) {
        cn_manifold_fetch(&world->pairs, index);
        cn_record_fetch(&world->pairs.records.data[world->soft->record.data[place]]);
        cn_kept_fetch(&world->pairs, index);
    }
}

void cn_soft_load_tile(const CnWorld* world, int slot, int end, double ratio) {
    CnSoftTile* to = cn_soft_tile_at(world->soft, slot);
    int next = slot + to->slots;
    unsigned later = next < end ? cn_soft_tile_at(world->soft, next)->fresh : 0;
    for (int lane = 0; lane < CN_SOFT_LANES; ++lane) {
        if ((later >> lane & 1u) != 0) {
            fetch_lane(world, CN_SOFT_LANES * next + lane);
        }
        if (((unsigned)to->fresh >> lane & 1u) != 0) {
            load_lane(world, CN_SOFT_LANES * slot + lane, ratio, to);
        }
    }
    to->fresh = to->is_stale = 0;
}

// The smaller eigenvalue of the 2 x 2 effective mass, as a step for both tangents. (20)
void cn_soft_use_one_step(CnSoftTile* tile) {
    for (int lane = 0; lane < CN_SOFT_LANES; ++lane) {
        float a = tile->slide_mass[0][lane], b = tile->slide_mass[1][lane];
        float c = tile->slide_mass[2][lane], half = 0.5f * (a - c);
        float least = 0.5f * (a + c) - sqrtf(half * half + b * b);
        tile->slide_mass[0][lane] = tile->slide_mass[2][lane] = least > 0.0f ? least : 0.0f;
        tile->slide_mass[1][lane] = 0.0f;
    }
}

void cn_soft_clear_totals(CnSoftTiles tiles) {
    int slots = 0;
    for (int k = 0; k < tiles.count; k += slots) {
        CnSoftTile* tile = (CnSoftTile*)(void*)&tiles.slots[k];
        slots = tile->slots;
        memset(tile->slide.total, 0, sizeof tile->slide.total);
        for (int i = 0; i < (slots > 1 ? CN_SOFT_POINTS : 1); ++i) {
            memset(tile->point[i].push.total, 0, sizeof tile->point[i].push.total);
        }
        if (slots > 1) {
            memset(tile->twist.total, 0, sizeof tile->twist.total);
        }
        if (slots == CN_SOFT_MOST_SLOTS) {
            memset(tile->roll.total, 0, sizeof tile->roll.total);
        }
    }
}

// ---- impulses for readers and for the next step ----

bool cn_soft_has_lane(const CnWorld* world, int manifold) {
    const CnSoftStore* store = world->soft;
    int first = cn_soft_lanes_of(world, manifold).first;
    return first < store->lane.count && store->lane.data[first] >= 0 &&
           cn_manifold_at(&world->pairs, manifold)->in_use &&
           cn_manifold_at(&world->pairs, manifold)->has_tile &&
           !cn_manifold_at(&world->pairs, manifold)->is_solved;
}

// The moment about the normal as friction of the points, (16): n x arm times this.
static double twist_share(const CnSoftTile* tile, int lane, int count) {
    double square = 0.0, twist = tile->slots > 1 ? (double)tile->twist.total[lane] : 0.0;
    for (int i = 0; tile->slots > 1 && i < count; ++i) {
        double u = (double)tile->u[i][lane], w = (double)tile->w[i][lane];
        square += u * u + w * w;
    }
    return square > 0.0 ? twist / square : 0.0;
}

// Impulses of a lane, at its points: those for the next step, and what the manifold did in the
// whole step along its rows.
static void read_lane(const CnWorld* world, int place, CnFrameImpulses* own) {
    const CnSoftTile* tile = cn_soft_tile_of(world->soft, place);
    int lane = place % CN_SOFT_LANES;
    CnSoftLanes points = cn_soft_points_of(world, place);
    double share = twist_share(tile, lane, points.count);
    double across = (double)tile->across[lane];
    for (int i = 0; i < points.count; ++i) {
        double u = tile->slots > 1 ? (double)tile->u[i][lane] : 0.0;
        double w = tile->slots > 1 ? (double)tile->w[i][lane] : 0.0;
        float *next = own->next[points.first + i], *total = own->total[points.first + i];
        next[0] = tile->point[i].push.now[lane];
        next[1] = i == 0 ? tile->slide.now[0][lane] : 0.0f;
        next[2] = i == 0 ? tile->slide.now[1][lane] : 0.0f;
        total[0] = tile->point[i].push.total[lane];
        total[1] = (float)((double)tile->slide.total[0][lane] / points.count - share * w);
        total[2] = (float)((double)tile->slide.total[1][lane] / points.count +
                           (across > 0.0 ? share * u / across : 0.0));
    }
    for (int k = 0; k < 3; ++k) {
        own->tangent[k] = tile->tangent[0][k][lane];
    }
    own->across = tile->across[lane];
}

CnFrameImpulses cn_soft_impulses(const CnWorld* world, int manifold) {
    const CnSoftStore* store = world->soft;
    CnFrameImpulses own = cn_pair_store_frame(&world->pairs, manifold);
    if (store->is_ahead && cn_soft_has_lane(world, manifold)) {
        CnSoftLanes lanes = cn_soft_lanes_of(world, manifold);
        for (int i = lanes.first; i < lanes.first + lanes.count; ++i) {
            read_lane(world, store->lane.data[i], &own);
        }
    }
    return own;
}

// Impulses of points that a lane has, and its tangents, where tiles have rows.
static void store_in_rows(CnPairStore* store, int index, CnSoftLanes points,
                          const CnFrameImpulses* own) {
    CnManifold* manifold = cn_manifold_at(store, index);
    for (int row = 1; row < 3; ++row) {
        set_direction(&manifold->tile, row,
                      cn_frame_tangent(own, cn_manifold_normal(manifold), row));
    }
    for (int i = points.first; i < points.first + points.count; ++i) {
        const float* next = own->next[i];
        cn_pair_store_set_impulse(store, index, i,
                                  cn_vec3((double)next[0], (double)next[1], (double)next[2]));
        for (int row = 0; row < 3; ++row) {
            manifold->tile.impulse[row][i] = (double)own->total[i][row];
        }
    }
}

void cn_soft_flush_lane(CnWorld* world, int place) {
    const CnSoftStore* store = world->soft;
    CnPairStore* pairs = &world->pairs;
    const CnSoftTile* tile = cn_soft_tile_of(store, place);
    int lane = place % CN_SOFT_LANES, index = store->manifold.data[place];
    CnManifold* manifold = cn_manifold_at(pairs, index);
    CnSoftLanes points = cn_soft_points_of(world, place);
    bool is_whole = tile->slots == CN_SOFT_MOST_SLOTS;
    double pressed = 0.0, along = (double)tile->slide.now[0][lane];
    double across = (double)tile->slide.now[1][lane];
    for (int i = 0; i < points.count; ++i) {
        pressed += (double)tile->point[i].push.now[lane];
    }
    double limit = (double)tile->friction[lane] * pressed;
    for (int i = 0; i < points.count; ++i) {
        CnTouchPoint* point = &manifold->points[points.first + i];
        bool is_first = i == 0;
        manifold->tile.twist[points.first + i] =
            is_first && tile->slots > 1 ? tile->twist.now[lane] : 0.0f;
        point->pressed = tile->point[i].push.now[lane] > 0.0f;
        point->stuck = along * along + across * across < limit * limit;
        if (pairs->has_extras) {
            cn_touch_extras(pairs, index, points.first + i)->moment =
                cn_vec3(is_first && is_whole ? (double)tile->roll.now[0][lane] : 0.0,
                        is_first && is_whole ? (double)tile->roll.now[1][lane] : 0.0, 0.0);
        }
    }
    if (cn_pair_store_has_rows(pairs)) {
        CnFrameImpulses own;
        read_lane(world, place, &own);
        store_in_rows(pairs, index, points, &own);
    } else {
        read_lane(world, place, &pairs->frames.data[index]);
    }
}

bool cn_soft_reserve_flush(CnWorld* world) {
    return !world->soft->is_ahead || cn_pair_store_reserve_frames(&world->pairs);
}

void cn_soft_fetch_impulses(const CnWorld* world, int manifold) {
    const CnSoftStore* store = world->soft;
    int first = cn_soft_lanes_of(world, manifold).first;
    int lane = store->is_ahead && first < store->lane.count ? store->lane.data[first] : CN_NONE;
    if (lane >= 0) {
        const CnSoftTile* tile = cn_soft_tile_of(store, lane);
        cn_fetch(&tile->slide);
        cn_fetch(&tile->slide.total);
        cn_fetch(&tile->point[0].push);
    }
}

void cn_soft_flush_record(CnWorld* world, int record) {
    for (int m = world->pairs.records.data[record].manifold; world->soft->is_ahead && m >= 0;
         m = cn_manifold_at(&world->pairs, m)->next) {
        if (!cn_soft_has_lane(world, m)) {
            continue;
        }
        CnSoftLanes lanes = cn_soft_lanes_of(world, m);
        for (int i = 0; i < lanes.count; ++i) {
            cn_soft_flush_lane(world, world->soft->lane.data[lanes.first + i]);
        }
    }
}

void cn_soft_flush(CnWorld* world) {
    const CnSoftStore* store = world->soft;
    for (int i = 0; store->is_ahead && i < store->manifold.count; ++i) {
        int manifold = store->manifold.data[i];
        int later = i + CN_SOFT_LANES < store->manifold.count
                        ? store->manifold.data[i + CN_SOFT_LANES]
                        : CN_NONE;
        if (later >= 0) {
            cn_manifold_fetch(&world->pairs, later);
        }
        if (manifold >= 0 && cn_soft_has_lane(world, manifold)) {
            cn_soft_flush_lane(world, i);
        }
    }
    world->soft->is_ahead = false;
}

void cn_soft_open(CnWorld* world) {
    CnSoftStore* store = world->soft;
    store->run.is_swept = store->run.is_kept = false;
    store->run.was_ahead = store->is_ahead;
    store->renewed.count = 0;
}

static void take_back_tile(CnSoftTile* tile) {
    tile->slide = tile->slide_before;
    for (int i = 0; i < (tile->slots > 1 ? CN_SOFT_POINTS : 1); ++i) {
        tile->point[i].push = tile->point[i].push_before;
    }
    if (tile->slots > 1) {
        tile->twist = tile->twist_before;
    }
    if (tile->slots == CN_SOFT_MOST_SLOTS) {
        tile->roll = tile->roll_before;
    }
}

void cn_soft_take_back(CnWorld* world) {
    CnSoftStore* store = world->soft;
    for (int i = 0; i < store->groups.count; ++i) {
        const CnSoftGroup* group = &store->groups.data[i];
        for (int t = group->first_slot; t < cn_soft_end_slot(group);
             t += cn_soft_tile_at(store, t)->slots) {
            take_back_tile(cn_soft_tile_at(store, t));
        }
    }
    store->run.is_swept = store->run.is_kept = false;
}

// Lanes that the step has loaded are of manifolds that had their impulses before.
void cn_soft_undo(CnWorld* world) {
    CnSoftStore* store = world->soft;
    if (store->run.is_swept || store->run.is_kept) {
        cn_soft_take_back(world);
    }
    for (int i = 0; i < store->renewed.count; ++i) {
        int first = cn_soft_lanes_of(world, store->renewed.data[i]).first;
        for (int k = 0; first < store->lane.count && k < (store->is_per_point ? CN_SOFT_POINTS : 1);
             ++k) {
            store->lane.data[first + k] = CN_NONE;
        }
    }
    store->is_ahead = store->is_ahead && store->run.was_ahead;
    if (cn_pair_store_has_rows(&world->pairs) || world->pairs.frames.count > 0) {
        cn_soft_flush(world);
    } // else the step has taken no lane from a manifold: the next one finds all as it was
    store->is_made = store->has_searched = store->has_far_gaps = false;
}

bool cn_soft_point_push(const CnWorld* world, int manifold, int point, double* push) {
    const CnSoftStore* store = world->soft;
    if (!store->is_ahead || !cn_soft_has_lane(world, manifold)) {
        return false;
    }
    int first = cn_soft_lanes_of(world, manifold).first;
    int place = store->lane.data[store->is_per_point ? first + point : first];
    const CnSoftTile* tile = cn_soft_tile_of(store, place);
    const CnSoftPoint* own = &tile->point[store->is_per_point ? 0 : point];
    *push = (double)own->push.total[place % CN_SOFT_LANES];
    return true;
}
