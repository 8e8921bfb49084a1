// mimic_ties.c - whether mimics agree: axes tied in a cycle must be tied in the same way.
#include "constraints/joints/mimic_ties.h"

#include <math.h>

// Ratios and offsets agree to this, relative to the larger of them; offsets below 1 absolutely.
#define SAME 1e-9

// An axis that a walk has reached, with its coordinate as a function of that of the axis where the
// walk began: factor q + shift.
typedef struct Reached {
    uint32_t joint;
    CnAxis axis;
    double factor, shift;
} Reached;

static bool is_at(const Reached* reached, uint32_t joint, CnAxis axis) {
    return reached->joint == joint && reached->axis == axis;
}

// The other end of a tie. False: the walk is at neither.
static bool cross(const CnMimicTie* tie, const Reached* from, Reached* to) {
    if (is_at(from, tie->leader, tie->leader_axis)) {
        *to = (Reached){tie->follower, tie->follower_axis, tie->ratio * from->factor,
                        tie->ratio * from->shift + tie->offset};
        return true;
    }
    if (is_at(from, tie->follower, tie->follower_axis)) {
        *to = (Reached){tie->leader, tie->leader_axis, from->factor / tie->ratio,
                        (from->shift - tie->offset) / tie->ratio};
        return true;
    }
    return false;
}

// Breadth first from the fresh tie's leader; each tie is crossed once. NULL: the follower is not
// reached. list: [count + 1], used: [count].
static const Reached* walk(const CnMimicTie* ties, int count, const CnMimicTie* fresh,
                           Reached* list, bool* used) {
    int reached = 0;
    list[reached++] = (Reached){fresh->leader, fresh->leader_axis, 1.0, 0.0};
    for (int next = 0; next < reached; ++next) {
        if (is_at(&list[next], fresh->follower, fresh->follower_axis)) {
            return &list[next];
        }
        for (int i = 0; i < count; ++i) {
            if (!used[i] && cross(&ties[i], &list[next], &list[reached])) {
                used[i] = true;
                ++reached;
            }
        }
    }
    return NULL;
}

static bool are_same(double a, double b, double least) {
    return fabs(a - b) <= SAME * fmax(least, fmax(fabs(a), fabs(b)));
}

CnStatus cn_mimic_find_contradiction(const CnMimicTie* ties, int count, const CnMimicTie* fresh,
                                     CnArena* arena, CnMimicTie* known, bool* contradicts) {
    CnArenaMark mark = cn_arena_mark(arena);
    Reached* list = CN_ARENA_NEW(arena, Reached, (size_t)count + 1);
    bool* used = CN_ARENA_NEW(arena, bool, count);
    *contradicts = false;
    if (list == NULL || used == NULL) {
        cn_arena_release(arena, mark);
        return CN_NO_MEMORY;
    }
    const Reached* end = walk(ties, count, fresh, list, used);
    if (end != NULL) {
        *known = *fresh;
        known->ratio = end->factor;
        known->offset = end->shift;
        *contradicts = !are_same(known->ratio, fresh->ratio, 0.0) ||
                       !are_same(known->offset, fresh->offset, 1.0);
    }
    cn_arena_release(arena, mark);
    return CN_OK;
}
