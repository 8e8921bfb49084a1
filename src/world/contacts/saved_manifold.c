// saved_manifold.c - a manifold as the undo log keeps it: numbers that others predict are left out.
//
// Much of a manifold follows from the rest of it, or is like that of another one: tangents follow
// from the normal, targets from gaps; friction is that of the point before. Each number is
// compared with a prediction from those before it, bit by bit; a flag says whether it differs, and
// then it is kept. Reading goes through the same list with the same predictions, so that a manifold
// comes back to the bit whether predictions are right or not.
//
// Of a manifold of one point little is predicted well, and there is little of it: all is kept. Of
// one whose tile is only a frame there are no rows.
#include "world/contacts/saved_manifold.h"

#include <stddef.h>
#include <string.h>

// Reading, writing, keeping all, and frames are compiled apart: the first three members are known
// in each.
#define PACKING_FUNCTION static inline __attribute__((always_inline))

typedef struct ManifoldPacking {
    bool reads;
    bool keeps_all; // writing the only point: predictions are not made
    bool has_rows;  // beside the frame of the tile
    uint64_t flags; // bit k: number k of this half is kept
    int count;      // of its numbers so far
    const CnManifoldHints* hints;
    uint64_t* to;         // where the next one is kept
    const uint64_t* from; // where the next one was kept
} ManifoldPacking;

PACKING_FUNCTION void pack(ManifoldPacking* packing, void* number, double predicted) {
    uint64_t guess, value;
    int bit = packing->count++;
    memcpy(&guess, &predicted, sizeof guess);
    if (packing->reads) {
        value = (packing->flags >> bit & 1u) != 0 ? *packing->from++ : guess;
        memcpy(number, &value, sizeof value);
        return;
    }
    memcpy(&value, number, sizeof value);
    bool is_kept = packing->keeps_all || value != guess;
    *packing->to = value; // counts only if it is kept
    packing->to += is_kept;
    packing->flags |= (uint64_t)is_kept << bit;
}

PACKING_FUNCTION bool acts(const CnContactTile* tile, int point) {
    return (tile->acting >> point & 1u) != 0;
}

// Two members side by side as one number. Those that a step does not change, or that say in which
// step a copy was made, are left out.
#define NEXT_OFFSET offsetof(CnManifold, next)
#define FLAGS_OFFSET offsetof(CnManifold, in_use)
#define FEATURE_OFFSET offsetof(CnTouchPoint, feature)
#define BODIES_OFFSET offsetof(CnContactTile, body_a)
#define ACTING_OFFSET offsetof(CnContactTile, acting)
_Static_assert(NEXT_OFFSET + sizeof(int) == offsetof(CnManifold, count) &&
                   FLAGS_OFFSET + sizeof(uint64_t) == offsetof(CnManifold, points) &&
                   BODIES_OFFSET + sizeof(int) == offsetof(CnContactTile, body_b) &&
                   ACTING_OFFSET + sizeof(int) == offsetof(CnContactTile, row_count),
               "two members that are one number lie side by side");

PACKING_FUNCTION double as_number(const void* bytes) {
    double number;
    memcpy(&number, bytes, sizeof number);
    return number;
}

// The head is predicted to be that of the only manifold of a pair, whose four points act.
PACKING_FUNCTION void pack_head(ManifoldPacking* packing, CnManifold* manifold) {
    const int link[2] = {CN_NONE, CN_TILE_POINTS};
    const bool flags[sizeof(uint64_t)] = {[offsetof(CnManifold, in_use) - FLAGS_OFFSET] = true,
                                          [offsetof(CnManifold, is_listed) - FLAGS_OFFSET] = true,
                                          [offsetof(CnManifold, has_tile) - FLAGS_OFFSET] = true,
                                          [offsetof(CnManifold, is_framed) - FLAGS_OFFSET] = true};
    unsigned char *own = (unsigned char*)manifold, *tile = (unsigned char*)&manifold->tile;
    pack(packing, own + NEXT_OFFSET, as_number(link));
    pack(packing, own + FLAGS_OFFSET, as_number(flags));
    pack(packing, tile + BODIES_OFFSET, 0.0);
    const int rows[2] = {(1 << manifold->count) - 1, 3};
    pack(packing, tile + ACTING_OFFSET, as_number(rows));
}

PACKING_FUNCTION void pack_direction(ManifoldPacking* packing, CnContactTile* tile, int row,
                                     CnVec3 predicted) {
    pack(packing, &tile->direction[row][0], predicted.x);
    pack(packing, &tile->direction[row][1], predicted.y);
    pack(packing, &tile->direction[row][2], predicted.z);
}

// The centre of a body where the last problem was posed.
PACKING_FUNCTION void pack_center(ManifoldPacking* packing, CnContactTile* tile, int side,
                                  int body) {
    const CnManifoldHints* hints = packing->hints;
    bool is_known =
        !packing->keeps_all && hints->posed != NULL && body >= 0 && body < hints->posed_count;
    CnVec3 center = is_known ? hints->posed[body].position : cn_vec3(0.0, 0.0, 0.0);
    pack(packing, &tile->center[side][0], center.x);
    pack(packing, &tile->center[side][1], center.y);
    pack(packing, &tile->center[side][2], center.z);
}

// Four points are often the corners of a rectangle along the axes of the world: a coordinate is
// that of the corner before, but the last corner has that of the first if the two between are
// equal.
PACKING_FUNCTION double like_those_before(const double* numbers, int i) {
    bool returns = i == 3 && numbers[2] == numbers[1];
    return i == 0 ? 0.0 : numbers[returns ? 0 : i - 1];
}

// Tangents are predicted to be those of a contact without grain: contact_friction.c.
PACKING_FUNCTION void pack_frame(ManifoldPacking* packing, CnManifold* manifold) {
    CnContactTile* tile = &manifold->tile;
    const CnManifold* typical = &packing->hints->typical;
    CnVec3 along = {0.0, 0.0, 0.0}, across = along;
    pack_direction(packing, tile, 0, cn_manifold_normal(typical));
    if (packing->has_rows) {
        if (!packing->keeps_all && tile->row_count > 1) {
            cn_tangent_basis(cn_manifold_normal(manifold), &along, &across);
        }
        pack_direction(packing, tile, 1, along);
        pack_direction(packing, tile, 2, across);
        pack(packing, &tile->trace, typical->tile.trace);
        pack_center(packing, tile, 0, tile->body_a);
        pack_center(packing, tile, 1, tile->body_b);
    }
}

// The target of a contact that is open lets it close, and that of a closed one is zero:
// unilateral_target.c.
PACKING_FUNCTION double predicted_target(double gap, double dt) {
    return gap > 0.0 ? -gap / dt : 0.0;
}

// Neighbours have the same friction.
PACKING_FUNCTION void pack_rows(ManifoldPacking* packing, CnManifold* manifold, int i) {
    CnContactTile* tile = &manifold->tile;
    double gap = manifold->points[i].gap;
    pack(packing, &tile->friction[i],
         i > 0 ? tile->friction[i - 1] : packing->hints->typical.tile.friction[0]);
    pack(packing, &tile->step_bound[i],
         acts(tile, i) ? like_those_before(tile->step_bound, i) : 1.0);
    pack(packing, &tile->target[i],
         acts(tile, i) ? predicted_target(gap, packing->hints->dt) : 0.0);
}

PACKING_FUNCTION void pack_place(ManifoldPacking* packing, CnManifold* manifold, int i) {
    CnTouchPoint* point = &manifold->points[i];
    for (int k = 0; k < 3; ++k) {
        pack(packing, &manifold->tile.point[k][i], like_those_before(manifold->tile.point[k], i));
    }
    pack(packing, &point->gap, i > 0 ? point[-1].gap : 0.0);
    pack(packing, (unsigned char*)point + FEATURE_OFFSET, // flags and age too
         as_number((const unsigned char*)&packing->hints->typical.points[i] + FEATURE_OFFSET));
    for (int row = 0; row < 3 && packing->has_rows; ++row) {
        pack(packing, &manifold->tile.impulse[row][i], 0.0);
    }
}
_Static_assert(sizeof(CnTouchPoint) - FEATURE_OFFSET == sizeof(uint64_t),
               "feature, flags and age are one number");

// Two points at once: they are single precision.
PACKING_FUNCTION void pack_floats(ManifoldPacking* packing, CnManifold* manifold, int i) {
    pack(packing, &manifold->approach[i], 0.0);
    pack(packing, &manifold->tile.residual[i], 0.0);
}
_Static_assert(CN_TILE_POINTS % 2 == 0 && sizeof(float[2]) == sizeof(uint64_t),
               "two of these are one number");

// The numbers of a manifold in two halves of at most 64, a word of flags each.
PACKING_FUNCTION void pack_first(ManifoldPacking* packing, CnManifold* manifold) {
    pack_head(packing, manifold);
    pack_frame(packing, manifold);
}
_Static_assert(4 + 16 <= 64, "flags of a half");

PACKING_FUNCTION void pack_second(ManifoldPacking* packing, CnManifold* manifold) {
    int count = packing->keeps_all ? 1 : manifold->count;
    for (int i = 0; i < count; ++i) {
        pack_place(packing, manifold, i);
        if (packing->has_rows) {
            pack_rows(packing, manifold, i);
        }
    }
    for (int i = 0; i < count; i += 2) {
        pack_floats(packing, manifold, i);
    }
}
_Static_assert((8 + 3 + 1) * CN_TILE_POINTS <= 64, "flags of a half");

PACKING_FUNCTION int pack_both(CnManifold* manifold, const CnManifoldHints* hints, bool has_rows,
                               bool keeps_all, uint64_t* packed) {
    ManifoldPacking first = {
        .keeps_all = keeps_all, .has_rows = has_rows, .hints = hints, .to = packed + 2};
    pack_first(&first, manifold);
    ManifoldPacking second = {
        .keeps_all = keeps_all, .has_rows = has_rows, .hints = hints, .to = first.to};
    pack_second(&second, manifold);
    packed[0] = first.flags;
    packed[1] = second.flags;
    return (int)(second.to - packed);
}

int cn_manifold_pack(CnManifold* manifold, const CnManifoldHints* hints, bool has_rows,
                     uint64_t packed[CN_SAVED_MANIFOLD_WORDS]) {
    if (!has_rows) {
        return manifold->count == 1 ? pack_both(manifold, hints, false, true, packed)
                                    : pack_both(manifold, hints, false, false, packed);
    }
    return manifold->count == 1 ? pack_both(manifold, hints, true, true, packed)
                                : pack_both(manifold, hints, true, false, packed);
}

PACKING_FUNCTION void unpack_both(const uint64_t* packed, const CnManifoldHints* hints,
                                  bool has_rows, CnManifold* manifold) {
    ManifoldPacking first = {.reads = true,
                             .has_rows = has_rows,
                             .hints = hints,
                             .flags = packed[0],
                             .from = packed + 2};
    pack_first(&first, manifold);
    ManifoldPacking second = {.reads = true,
                              .has_rows = has_rows,
                              .hints = hints,
                              .flags = packed[1],
                              .from = first.from};
    pack_second(&second, manifold);
}

// Places of points that the manifold has not are as cn_tile_prepare() leaves them.
void cn_manifold_unpack(const uint64_t* packed, const CnManifoldHints* hints, bool has_rows,
                        CnManifold* manifold) {
    CnContactTile* tile = &manifold->tile;
    if (!has_rows) {
        memset(tile, 0, CN_TILE_FRAME);
        unpack_both(packed, hints, false, manifold);
        return;
    }
    *tile = (CnContactTile){.slide = tile->slide};
    unpack_both(packed, hints, true, manifold);
    for (int i = manifold->count; i < CN_TILE_POINTS && tile->row_count > 0; ++i) {
        tile->step_bound[i] = 1.0;
    }
}
