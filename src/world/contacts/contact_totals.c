// contact_totals.c - what each contact point did over all parts of a step.
#include "world/contacts/contact_totals.h"
#include "math/floats.h"

#include "world/contacts/contact_friction.h"
#include "world/contacts/contacts.h"
#include "world/soft/soft_pack.h"

void cn_contact_totals_begin(CnWorld* world) {
    CnContactTotals* totals = &world->contact_totals;
    totals->points.count = totals->heads.count = totals->links.count = 0;
    totals->has_places = false;
    totals->in_use = world->def.step.substeps > 1 || world->fast_count > 0;
}

static CnBodyId id_at(const CnWorld* world, int index) {
    return index < 0 ? (CnBodyId){0} : world->order.data[index];
}

static CnShapeId shape_id_at(const CnWorld* world, int slot) {
    return slot < 0 ? (CnShapeId){0} : cn_world_shape_id(world, slot);
}

CnContactPoint cn_contact_describe(const CnWorld* world, const CnContact* contact) {
    return (CnContactPoint){
        .body_a = id_at(world, contact->body_a),
        .body_b = id_at(world, contact->body_b),
        .shape_a = shape_id_at(world, contact->shape_a),
        .shape_b = shape_id_at(world, contact->shape_b),
        .point = contact->point,
        .normal = contact->normal,
        .gap = contact->gap,
        .friction = contact->friction,
        .restitution = contact->restitution,
        .surface_velocity = cn_contact_surface_velocity(contact),
        .key = cn_contact_key(world, contact),
    };
}

// Most steps have one part, whose contacts need not be found again.
static bool find_places(CnContactTotals* totals) {
    cn_map_clear(&totals->places);
    for (int i = 0; i < totals->points.count; ++i) {
        if (!cn_map_set(&totals->places, totals->points.data[i].key, i)) {
            return false;
        }
    }
    totals->has_places = true;
    return true;
}

// The explicit block of a contact with torsion or rolling, -1: it does not act. Those of a manifold
// lie side by side.
static int find_block(const CnStep* step, int manifold, int point) {
    int first = manifold < step->wide_block.count ? step->wide_block.data[manifold] : -1;
    for (int i = first; i >= 0 && i < step->rows.blocks.count; ++i) {
        const CnBlockSource* source = &step->rows.sources.data[i];
        if (source->constraint >= 0 || source->manifold != manifold) {
            return -1;
        }
        if (source->point == point) {
            return i;
        }
    }
    return -1;
}

// Reading a world takes what its tiles know: impulses of scheme soft_step are read from lanes, or
// where tiles have rows written to these when asked for.
static CnFrameImpulses bring_impulses(const CnWorld* world, int manifold) {
    if (!cn_pair_store_has_rows(&world->pairs)) {
        return cn_soft_impulses(world, manifold);
    }
    if (world->soft->is_ahead) {
        cn_soft_flush((CnWorld*)world);
    }
    return (CnFrameImpulses){0};
}

static CnContact contact_at(const CnWorld* world, int index, int point) {
    const CnManifold* manifold = cn_manifold_at(&world->pairs, index);
    CnContact contact = cn_manifold_contact(world, manifold, NULL);
    cn_contact_set_point(&contact, manifold, point, cn_touch_extras(&world->pairs, index, point));
    return contact;
}

CnContactPoint cn_manifold_describe_kept(const CnWorld* world, int index, int point) {
    const CnFrameImpulses own = bring_impulses(world, index);
    CnContact contact = contact_at(world, index, point);
    CnContactPoint described = cn_contact_describe(world, &contact);
    const CnManifold* manifold = cn_manifold_at(&world->pairs, index);
    if (manifold->is_wide) {
        described.impulse = cn_pair_store_impulse(&world->pairs, index, point);
        described.moment = cn_touch_extras(&world->pairs, index, point)->moment;
    } else {
        described.impulse = cn_pair_store_sum(&world->pairs, &own, index, point);
    }
    return described;
}

// Of the last solve [m/s]; scheme soft_step has none.
static double residual_of(const CnWorld* world, const CnManifold* manifold, int point) {
    bool acts = (manifold->tile.acting >> point & 1u) != 0;
    bool is_soft = world->def.step.scheme == CN_SCHEME_SOFT_STEP;
    return acts && !is_soft ? (double)manifold->tile.residual[point] : 0.0;
}

// contact: of the manifold, with this point.
static CnContactPoint describe(const CnWorld* world, const CnFrameImpulses* own, int index,
                               int point, const CnContact* contact) {
    const CnManifold* manifold = cn_manifold_at(&world->pairs, index);
    const CnStep* step = &world->step;
    CnContactPoint described = cn_contact_describe(world, contact);
    if (!manifold->is_wide) {
        described.impulse = cn_pair_store_sum(&world->pairs, own, index, point);
        described.residual = residual_of(world, manifold, point);
        return described;
    }
    int found = find_block(step, index, point);
    if (found >= 0) {
        const CnBlock* block = &step->rows.blocks.data[found];
        cn_contact_impulse(contact, block, step->rows.impulse + block->first_row,
                           &described.impulse, &described.moment);
        described.residual =
            found < step->block_residual.count ? step->block_residual.data[found] : 0.0;
    }
    return described;
}

// All points act, with three rows each: everything is in the tile, but for the friction of scheme
// soft_step.
static void tile_loads(const CnWorld* world, const CnFrameImpulses* own, int index, double rate,
                       CnContactLoad* loads) {
    const CnPairStore* store = &world->pairs;
    const CnManifold* manifold = cn_manifold_at(store, index);
    const CnContactTile* tile = &manifold->tile;
    CnVec3 rows[3];
    for (int row = 0; row < 3; ++row) {
        rows[row] = cn_pair_store_direction(store, own, index, row);
    }
    bool is_soft = world->def.step.scheme == CN_SCHEME_SOFT_STEP;
    double friction = is_soft ? cn_manifold_contact(world, manifold, NULL).friction : 0.0;
    for (int k = 0; k < manifold->count; ++k) {
        float* numbers = loads[k].numbers;
        loads[k].bodies[0] = tile->body_a;
        loads[k].bodies[1] = tile->body_b;
        cn_vec3_to_floats(cn_manifold_point(manifold, k), numbers + CN_LOAD_POINT);
        cn_vec3_to_floats(cn_manifold_normal(manifold), numbers + CN_LOAD_NORMAL);
        CnVec3 sum = cn_vec3_scale(cn_pair_store_total(store, own, index, 0, k), rows[0]);
        sum = cn_vec3_add_scaled(sum, cn_pair_store_total(store, own, index, 1, k), rows[1]);
        sum = cn_vec3_add_scaled(sum, cn_pair_store_total(store, own, index, 2, k), rows[2]);
        cn_vec3_to_floats(cn_vec3_scale(rate, sum), numbers + CN_LOAD_FORCE);
        numbers[CN_LOAD_GAP] = (float)manifold->points[k].gap;
        numbers[CN_LOAD_FRICTION] = (float)(is_soft ? friction : tile->friction[k]);
        numbers[CN_LOAD_RESIDUAL] = (float)residual_of(world, manifold, k);
    }
}

CnContactLoad cn_contact_load(const CnWorld* world, const CnContactPoint* point, CnVec3 force) {
    CnContactLoad load = {.bodies = {cn_world_body_index(world, point->body_a),
                                     cn_world_body_index(world, point->body_b)}};
    cn_vec3_to_floats(point->point, load.numbers + CN_LOAD_POINT);
    cn_vec3_to_floats(point->normal, load.numbers + CN_LOAD_NORMAL);
    cn_vec3_to_floats(force, load.numbers + CN_LOAD_FORCE);
    load.numbers[CN_LOAD_GAP] = (float)point->gap;
    load.numbers[CN_LOAD_FRICTION] = (float)point->friction;
    load.numbers[CN_LOAD_RESIDUAL] = (float)point->residual;
    return load;
}

// As users see them; materials are looked up once.
static void described_loads(const CnWorld* world, int index, double rate, CnContactLoad* loads) {
    CnContactPoint points[CN_TILE_POINTS];
    cn_manifold_describe_all(world, index, points);
    for (int k = 0; k < cn_manifold_at(&world->pairs, index)->count; ++k) {
        loads[k] = cn_contact_load(world, &points[k], cn_vec3_scale(rate, points[k].impulse));
    }
}

void cn_manifold_loads(const CnWorld* world, int index, CnContactLoad* loads) {
    const CnFrameImpulses own = bring_impulses(world, index);
    const CnManifold* manifold = cn_manifold_at(&world->pairs, index);
    bool is_whole = !manifold->is_wide && manifold->has_tile && manifold->tile.row_count == 3 &&
                    manifold->tile.acting == (1u << manifold->count) - 1u;
    bool is_soft = world->def.step.scheme == CN_SCHEME_SOFT_STEP;
    double rate = 1.0 / world->whole_dt;
    if (is_whole && !(is_soft && world->pairs.has_extras)) { // which may have another friction
        tile_loads(world, &own, index, rate, loads);
    } else {
        described_loads(world, index, rate, loads);
    }
}

CnContactPoint cn_manifold_describe(const CnWorld* world, int index, int point) {
    const CnFrameImpulses own = bring_impulses(world, index);
    CnContact contact = contact_at(world, index, point);
    return describe(world, &own, index, point, &contact);
}

void cn_manifold_describe_all(const CnWorld* world, int index,
                              CnContactPoint points[CN_TILE_POINTS]) {
    const CnFrameImpulses own = bring_impulses(world, index);
    const CnManifold* manifold = cn_manifold_at(&world->pairs, index);
    const CnContact shared = cn_manifold_contact(world, manifold, NULL);
    for (int k = 0; k < manifold->count; ++k) {
        CnContact contact = shared;
        cn_contact_set_point(&contact, manifold, k, cn_touch_extras(&world->pairs, index, k));
        points[k] = describe(world, &own, index, k, &contact);
    }
}

// The next point joins the lists of its bodies.
static bool link_next(CnWorld* world) {
    CnContactTotals* totals = &world->contact_totals;
    int point = totals->links.count;
    CnBodyId bodies[2] = {totals->points.data[point].body_a, totals->points.data[point].body_b};
    CnContactLinks links = {{CN_NONE, CN_NONE}};
    for (int side = 0; side < 2; ++side) {
        int body = cn_world_body_index(world, bodies[side]);
        if (body >= 0) {
            links.next[side] = totals->heads.data[body];
            totals->heads.data[body] = 2 * point + side;
        }
    }
    return cn_array_push(&totals->links, &world->allocator, links);
}

static bool make_heads(CnWorld* world) {
    CnContactTotals* totals = &world->contact_totals;
    if (!cn_array_reserve(&totals->heads, &world->allocator, world->bodies.count)) {
        return false;
    }
    while (totals->heads.count < world->bodies.count) {
        totals->heads.data[totals->heads.count++] = CN_NONE;
    }
    return true;
}

CnStatus cn_contact_totals_link(CnWorld* world) {
    CnContactTotals* totals = &world->contact_totals;
    bool ok = make_heads(world);
    while (ok && totals->links.count < totals->points.count) {
        ok = link_next(world);
    }
    return ok ? CN_OK : CN_NO_MEMORY;
}

static bool add_part(CnWorld* world, const CnContactPoint* part) {
    CnContactTotals* totals = &world->contact_totals;
    CnContactPoint point = *part;
    int place = totals->has_places ? cn_map_get(&totals->places, point.key) : -1;
    if (place >= 0) {
        CnContactPoint* total = &totals->points.data[place];
        point.impulse = cn_vec3_add(total->impulse, point.impulse);
        point.moment = cn_vec3_add(total->moment, point.moment);
        *total = point;
        return true;
    }
    return cn_array_push(&totals->points, &world->allocator, point) &&
           (!totals->has_places ||
            cn_map_set(&totals->places, point.key, totals->points.count - 1));
}

CnStatus cn_contact_totals_add(CnWorld* world) {
    CnContactTotals* totals = &world->contact_totals;
    const CnIntArray* manifolds = &world->step.manifolds;
    if (!totals->in_use) {
        return CN_OK;
    }
    if (totals->points.count > 0 && !totals->has_places && !find_places(totals)) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < manifolds->count; ++i) {
        for (int k = 0; k < cn_manifold_at(&world->pairs, manifolds->data[i])->count; ++k) {
            CnContactPoint point = cn_manifold_describe(world, manifolds->data[i], k);
            if (!add_part(world, &point)) {
                return CN_NO_MEMORY;
            }
        }
    }
    return cn_contact_totals_link(world);
}

void cn_contact_totals_free(CnContactTotals* totals, const CnAllocator* allocator) {
    cn_array_free(&totals->points, allocator);
    cn_array_free(&totals->heads, allocator);
    cn_array_free(&totals->links, allocator);
    cn_map_destroy(&totals->places);
}
