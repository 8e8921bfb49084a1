// known_pairs.c - pairs of shapes at a distance known by construction.
#include "support/shapes/known_pairs.h"

#include "support/shapes/random_poses.h"

static bool one_in(int n, CnRandom* random) {
    return cn_random_between(random, 0.0, (double)n) < 1.0;
}

CnVec3 known_direction(CnRandom* random) {
    CnVec3 v;
    double square;
    do {
        v = random_within(random, 1.0);
        square = cn_vec3_dot(v, v);
    } while (square > 1.0 || square < 1e-4);
    return cn_vec3_normalize(v);
}

CnQuat known_rotation(CnRandom* random) {
    CnVec3 v = known_direction(random);
    double w = cn_random_between(random, -1.0, 1.0);
    double s = sqrt(1.0 - w * w);
    return cn_quat_normalize(cn_quat(w, s * v.x, s * v.y, s * v.z));
}

// Sizes spread evenly over their orders of magnitude.
static double random_size(const KnownPairDef* def, CnRandom* random) {
    return def->smallest * pow(def->largest / def->smallest, cn_random_between(random, 0.0, 1.0));
}

CnShape known_shape(CnShapeType type, const KnownPairDef* def, CnRandom* random) {
    CnShape shape = {.type = type, .normal = known_direction(random)};
    shape.local.rotation = cn_quat_identity();
    if (type == CN_SHAPE_BOX) {
        shape.half_size.x = random_size(def, random);
        shape.half_size.y = random_size(def, random);
        shape.half_size.z = random_size(def, random);
        shape.extent = cn_vec3_length(shape.half_size);
    } else if (type == CN_SHAPE_CONVEX) {
        int i = (int)cn_random_between(random, 0.0, (double)def->hull_count);
        shape.hull = (CnHull*)&def->hulls[i];
        for (int k = 0; k < shape.hull->vertex_count; ++k) {
            shape.extent = fmax(shape.extent, cn_vec3_length(shape.hull->vertices[k]));
        }
    } else if (type != CN_SHAPE_PLANE) {
        shape.radius = random_size(def, random);
        shape.half_length = type == CN_SHAPE_SPHERE ? 0.0 : random_size(def, random);
        shape.extent = shape.radius + shape.half_length;
    }
    return shape;
}

// A part that is level to within this sine counts as flat: any of its points is as far.
#define LEVEL 1e-13

static double far_coordinate(double half, double direction, CnRandom* random) {
    return fabs(direction) < LEVEL ? cn_random_between(random, -half, half)
                                   : copysign(half, direction);
}

static CnVec3 far_point_of_cylinder(const CnShape* shape, CnVec3 d, CnRandom* random) {
    double sine = sqrt(d.x * d.x + d.y * d.y);
    double z = far_coordinate(shape->half_length, d.z, random);
    if (sine < LEVEL) { // a cap: any of its points
        double r = shape->radius * sqrt(cn_random_between(random, 0.0, 1.0));
        double angle = cn_random_between(random, 0.0, 2.0 * CN_PI);
        return cn_vec3(r * cos(angle), r * sin(angle), z);
    }
    return cn_vec3(shape->radius * d.x / sine, shape->radius * d.y / sine, z);
}

// A random point of what is highest: a vertex, or a level edge or face.
static CnVec3 far_vertex(const CnHull* hull, CnVec3 d, CnRandom* random) {
    CnVec3 sum = {0.0, 0.0, 0.0};
    double most = -HUGE_VAL, size = 0.0, weights = 0.0;
    for (int i = 0; i < hull->vertex_count; ++i) {
        most = fmax(most, cn_vec3_dot(hull->vertices[i], d));
        size = fmax(size, cn_vec3_length(hull->vertices[i]));
    }
    for (int i = 0; i < hull->vertex_count; ++i) {
        if (cn_vec3_dot(hull->vertices[i], d) >= most - LEVEL * size) {
            double weight = cn_random_between(random, 0.01, 1.0);
            sum = cn_vec3_add_scaled(sum, weight, hull->vertices[i]);
            weights += weight;
        }
    }
    return cn_vec3_scale(1.0 / weights, sum);
}

static CnVec3 far_point_of_box(CnVec3 half, CnVec3 d, CnRandom* random) {
    double x = far_coordinate(half.x, d.x, random);
    double y = far_coordinate(half.y, d.y, random);
    double z = far_coordinate(half.z, d.z, random);
    return cn_vec3(x, y, z);
}

// A point of the core that is farthest along the unit vector d, both in the shape's frame.
static CnVec3 far_point(const CnShape* shape, CnVec3 d, CnRandom* random) {
    switch (shape->type) {
    case CN_SHAPE_BOX:
        return far_point_of_box(shape->half_size, d, random);
    case CN_SHAPE_CAPSULE:
        return cn_vec3(0.0, 0.0, far_coordinate(shape->half_length, d.z, random));
    case CN_SHAPE_CYLINDER:
        return far_point_of_cylinder(shape, d, random);
    case CN_SHAPE_CONVEX:
        return far_vertex(shape->hull, d, random);
    default:
        return cn_vec3(0.0, 0.0, 0.0);
    }
}

static double rounding(const CnShape* shape) {
    bool is_round = shape->type == CN_SHAPE_SPHERE || shape->type == CN_SHAPE_CAPSULE;
    return is_round ? shape->radius : 0.0;
}

// A direction square to a flat or straight part of the shape, in its own frame.
static CnVec3 special_direction(const CnShape* shape, CnRandom* random) {
    double angle = cn_random_between(random, 0.0, 2.0 * CN_PI);
    if (shape->type == CN_SHAPE_CONVEX) {
        double face = cn_random_between(random, 0.0, (double)shape->hull->face_count);
        return shape->hull->faces[(int)face].normal;
    }
    if (one_in(2, random)) {
        return cn_vec3(0.0, 0.0, one_in(2, random) ? 1.0 : -1.0);
    }
    if (shape->type == CN_SHAPE_BOX && one_in(2, random)) {
        return cn_vec3(0.0, 1.0, 0.0);
    }
    return cn_vec3(cos(angle), sin(angle), 0.0); // level with an edge, or a side
}

// The rotation that takes the unit vector from to the unit vector to, with a random spin about it.
static CnQuat turn_onto(CnVec3 from, CnVec3 to, CnRandom* random) {
    CnVec3 t1, t2, u1, u2;
    double angle = one_in(3, random) ? 0.0 : cn_random_between(random, 0.0, 2.0 * CN_PI);
    cn_tangent_basis(from, &t1, &t2);
    cn_tangent_basis(to, &u1, &u2);
    double c = cos(angle), s = sin(angle);
    CnVec3 v1 = cn_vec3_add_scaled(cn_vec3_scale(c, u1), s, u2);
    CnVec3 v2 = cn_vec3_cross(to, v1);
    // Columns of R are images of the axes: R = to from^T + v1 t1^T + v2 t2^T.
    double r[3][3] = {
        {to.x * from.x + v1.x * t1.x + v2.x * t2.x, to.x * from.y + v1.x * t1.y + v2.x * t2.y,
         to.x * from.z + v1.x * t1.z + v2.x * t2.z},
        {to.y * from.x + v1.y * t1.x + v2.y * t2.x, to.y * from.y + v1.y * t1.y + v2.y * t2.y,
         to.y * from.z + v1.y * t1.z + v2.y * t2.z},
        {to.z * from.x + v1.z * t1.x + v2.z * t2.x, to.z * from.y + v1.z * t1.y + v2.z * t2.y,
         to.z * from.z + v1.z * t1.z + v2.z * t2.z}};
    double xx = r[0][0], yy = r[1][1], zz = r[2][2];
    CnQuat q; // from the largest of the four components, so that nothing cancels
    if (xx + yy + zz > 0.0) {
        q = cn_quat(1.0 + xx + yy + zz, r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]);
    } else if (xx >= yy && xx >= zz) {
        q = cn_quat(r[2][1] - r[1][2], 1.0 + xx - yy - zz, r[0][1] + r[1][0], r[0][2] + r[2][0]);
    } else if (yy >= zz) {
        q = cn_quat(r[0][2] - r[2][0], r[0][1] + r[1][0], 1.0 - xx + yy - zz, r[1][2] + r[2][1]);
    } else {
        q = cn_quat(r[1][0] - r[0][1], r[0][2] + r[2][0], r[1][2] + r[2][1], 1.0 - xx - yy + zz);
    }
    return cn_quat_normalize(q);
}

void known_pair(const KnownPairDef* def, CnRandom* random, KnownPair* pair) {
    *pair = (KnownPair){0};
    pair->shapes[0] = known_shape(def->type_a, def, random);
    pair->shapes[1] = known_shape(def->type_b, def, random);
    pair->a.shape = &pair->shapes[0];
    pair->b.shape = &pair->shapes[1];
    pair->shapes[0].serial = 1; // two bodies of a world
    pair->shapes[1].serial = 2;
    const CnShape* a = &pair->shapes[0];
    const CnShape* b = &pair->shapes[1];
    bool special_a = one_in(3, random), special_b = special_a && one_in(2, random);
    CnVec3 along_a = special_a ? special_direction(a, random) : known_direction(random);
    if (a->type == CN_SHAPE_PLANE) {
        along_a = a->normal;
    }
    pair->a.pose.rotation = known_rotation(random);
    pair->normal = cn_quat_rotate(pair->a.pose.rotation, along_a);
    CnVec3 inward = cn_vec3_negate(pair->normal);
    pair->b.pose.rotation = special_b ? turn_onto(special_direction(b, random), inward, random)
                                      : known_rotation(random);
    CnVec3 along_b = cn_quat_unrotate(pair->b.pose.rotation, inward);

    double size = a->extent + b->extent;
    pair->distance = one_in(4, random) ? 0.0 : size * pow(10.0, cn_random_between(random, -9, 0.5));
    pair->gap = pair->distance - rounding(a) - rounding(b);
    pair->size = size + pair->distance;
    CnVec3 x_a = cn_quat_rotate(pair->a.pose.rotation, far_point(a, along_a, random));
    CnVec3 x_b = cn_quat_rotate(pair->b.pose.rotation, far_point(b, along_b, random));
    double far = cn_random_between(random, 0.0, def->far);
    pair->a.pose.position = cn_vec3_scale(far, known_direction(random));
    pair->b.pose.position =
        cn_vec3_add(pair->a.pose.position,
                    cn_vec3_sub(cn_vec3_add_scaled(x_a, pair->distance, pair->normal), x_b));
}

double known_separation(CnPlacedShape a, CnPlacedShape b, CnVec3 n) {
    CnRandom random = {1};
    CnVec3 x_a = cn_quat_rotate(a.pose.rotation,
                                far_point(a.shape, cn_quat_unrotate(a.pose.rotation, n), &random));
    CnVec3 inward = cn_vec3_negate(n);
    CnVec3 x_b = cn_quat_rotate(
        b.pose.rotation, far_point(b.shape, cn_quat_unrotate(b.pose.rotation, inward), &random));
    CnVec3 across = cn_vec3_sub(b.pose.position, a.pose.position);
    double between = cn_vec3_dot(n, cn_vec3_add(across, cn_vec3_sub(x_b, x_a)));
    return between - rounding(a.shape) - rounding(b.shape);
}
