// box_points.c - contact points of two boxes that are rare, one pair at a time.
#include "collision/box_points.h"

#include "collision/collide_pairs.h"

// As polyhedra of any kind.
void cn_box_points_of_disjoint(const CnBoxBlock* found, int i, int first) {
    CnBoxContact* contact = found->contacts[i];
    contact->count = cn_collide_polyhedron_polyhedron(*found->boxes[first][i]->shape,
                                                      *found->boxes[1 - first][i]->shape,
                                                      found->margin[i], contact->points);
    for (int k = 0; first != 0 && k < contact->count; ++k) {
        contact->points[k].normal = cn_vec3_negate(contact->points[k].normal);
    }
}
