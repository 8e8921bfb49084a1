// shape.c - a shape as the library keeps it: ready to be measured and met.
#include "geometry/shape.h"

static void make_sphere(const CnShapeDef* def, CnShape* shape) {
    shape->radius = def->radius;
    shape->extent = def->radius;
}

static void make_plane(const CnShapeDef* def, CnShape* shape) {
    shape->normal = cn_vec3_normalize(def->normal);
}

typedef void MakeFunction(const CnShapeDef* def, CnShape* shape);
static MakeFunction* const make_table[] = {
    [CN_SHAPE_SPHERE] = make_sphere,
    [CN_SHAPE_PLANE] = make_plane,
};

CnStatus cn_shape_make(const CnShapeDef* def, const CnAllocator* allocator, CnShape* shape,
                       CnError* error) {
    (void)allocator;
    (void)error;
    *shape = (CnShape){
        .type = def->type,
        .local = {def->position, cn_quat_identity()},
        .material = def->material,
    };
    make_table[def->type](def, shape);
    return CN_OK;
}

void cn_shape_free(CnShape* shape, const CnAllocator* allocator) {
    (void)shape;
    (void)allocator;
}
