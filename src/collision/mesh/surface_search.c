// surface_search.c - finds the relevant triangles of a surface, nearest boxes first.
#include "collision/mesh/surface_search.h"

typedef struct Stop {
    int node;
    double measure;
} Stop;

typedef struct TriangleSearch {
    const CnShape* surface;
    const CnBoxTree* tree;
    int triangles_per_item;
    CnBoxMeasure* measure;
    CnTriangleVisit* visit;
    double limit;
    void* query;
} TriangleSearch;

static Stop stop_at(const TriangleSearch* search, int node) {
    return (Stop){node, search->measure(&search->tree->nodes[node].box, search->query)};
}

static void visit_leaf(TriangleSearch* search, const CnBoxTreeNode* leaf) {
    int each = search->triangles_per_item;
    for (int i = 0; i < leaf->count * each; ++i) {
        int item = search->tree->items[leaf->first + i / each];
        CnTriangle triangle = cn_surface_triangle(search->surface, item * each + i % each);
        CnBounds box = cn_bounds_of_triangle(triangle.points);
        if (search->measure(&box, search->query) <= search->limit) {
            search->limit = search->visit(&triangle, search->limit, search->query);
        }
    }
}

void cn_surface_search(const CnShape* surface, CnBoxMeasure* measure, CnTriangleVisit* visit,
                       double limit, void* query) {
    TriangleSearch search = {
        .surface = surface, .measure = measure, .visit = visit, .limit = limit, .query = query};
    Stop stack[CN_BOX_TREE_DEPTH + 1];
    int count = 0;
    search.tree = cn_surface_tree(surface, &search.triangles_per_item);
    stack[count++] = stop_at(&search, 0);
    while (count > 0) {
        Stop stop = stack[--count];
        const CnBoxTreeNode* node = &search.tree->nodes[stop.node];
        if (!(stop.measure <= search.limit)) {
            continue;
        }
        if (node->count > 0) {
            visit_leaf(&search, node);
            continue;
        }
        Stop first = stop_at(&search, stop.node + 1), second = stop_at(&search, node->first);
        bool ordered = first.measure <= second.measure;
        stack[count++] = ordered ? second : first;
        stack[count++] = ordered ? first : second;
    }
}

CnPlacedShape cn_surface_view(CnTransform surface, CnPlacedShape shape) {
    return (CnPlacedShape){
        shape.shape,
        {cn_quat_unrotate(surface.rotation, cn_vec3_sub(shape.pose.position, surface.position)),
         cn_quat_multiply(cn_quat_conjugate(surface.rotation), shape.pose.rotation)},
    };
}

// Where the line enters and leaves the slab between two planes across an axis; an empty interval if
// it misses it.
static void clip(double origin, double direction, double low, double high, double* enter,
                 double* leave) {
    if (direction == 0.0) {
        bool between = low <= origin && origin <= high;
        *enter = between ? *enter : HUGE_VAL;
        return;
    }
    double first = (low - origin) / direction, second = (high - origin) / direction;
    *enter = fmax(*enter, fmin(first, second));
    *leave = fmin(*leave, fmax(first, second));
}

// Boxes are enlarged slightly: round-off must not hide a triangle that fills its box.
#define SLACK 1e-12

double cn_box_entry(const CnBounds* box, CnVec3 origin, CnVec3 direction) {
    CnVec3 o = origin, d = direction;
    double enter = 0.0, leave = HUGE_VAL;
    double size = cn_vec3_length(o) + cn_vec3_length(box->low) + cn_vec3_length(box->high);
    double slack = SLACK * size;
    clip(o.x, d.x, box->low.x - slack, box->high.x + slack, &enter, &leave);
    clip(o.y, d.y, box->low.y - slack, box->high.y + slack, &enter, &leave);
    clip(o.z, d.z, box->low.z - slack, box->high.z + slack, &enter, &leave);
    return enter <= leave ? enter : HUGE_VAL;
}
