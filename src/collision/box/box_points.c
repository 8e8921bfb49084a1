// box_points.c - contact points of two boxes that are rare, one pair at a time.
#include "collision/box/box_points.h"

#include "collision/hull/polyhedron_pairs.h"

// As polyhedra of any kind.
void cn_box_points_of_disjoint(const CnBoxBlock* found, int i, int first) {
    CnBoxContact* contact = found->contacts[i];
    contact->count = cn_collide_in_order(found->boxes[first][i], found->boxes[1 - first][i],
                                         first != 0, found->margin[i], contact->points);
}
