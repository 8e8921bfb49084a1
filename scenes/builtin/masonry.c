// masonry.c - what stands because it leans: pyramids, walls, arches, houses of cards, towers.
#include "sketch.h"

// ---- pyramids ----

// Rows of cubes a quarter apart, each a cube shorter than the one below.
void cn_sketch_pyramid(CnSketch* sketch, CnMaterialId stone, int base, double x, double y) {
    const double spacing = 1.25; // [m]
    for (int row = 0; row < base; ++row) {
        for (int k = 0; k < base - row; ++k) {
            double along = (k - 0.5 * (base - 1 - row)) * spacing;
            CnSketchBody cube = {.what = "cube",
                                 .material = stone,
                                 .shape = cn_box_def(cn_vec3(1.0, 1.0, 1.0)),
                                 .pose = cn_at(cn_vec3(x + along, y, 0.5 + row))};
            cn_sketch_body(sketch, &cube);
        }
    }
}

static CnMaterialId draw_pyramid_ground(CnSketch* sketch) {
    CnMaterialId stone = cn_sketch_material(sketch, "stone", 0.6, 0.0, 1.0); // cubes of 1 kg
    cn_sketch_floor(sketch, stone, cn_quat_identity());
    cn_sketch_time(sketch, CN_FRAME, 5.0);
    return stone;
}

void cn_builtin_pyramid(CnSketch* sketch, int size) {
    CnMaterialId stone = draw_pyramid_ground(sketch);
    cn_sketch_pyramid(sketch, stone, size, 0.0, 0.0);
}

void cn_sketch_pyramids(CnSketch* sketch, CnMaterialId stone, int side) {
    const int base = 10;
    for (int i = 0; i < side * side; ++i) {
        double x = (i / side - 0.5 * (side - 1)) * 15.0, y = (i % side - 0.5 * (side - 1)) * 4.0;
        cn_sketch_pyramid(sketch, stone, base, x, y);
    }
}

void cn_builtin_pyramids(CnSketch* sketch, int size) {
    CnMaterialId stone = draw_pyramid_ground(sketch);
    cn_sketch_pyramids(sketch, stone, size);
}

// ---- wall ----

// Running bond: every second course starts and ends with half a brick.
void cn_builtin_wall(CnSketch* sketch, int size) {
    const int bricks = 10;                    // in a course
    const CnVec3 brick = {0.24, 0.115, 0.11}; // [m]
    CnMaterialId material = cn_sketch_material(sketch, "brick", 0.7, 0.0, 1800.0);
    cn_sketch_floor(sketch, material, cn_quat_identity());
    for (int course = 0; course < size; ++course) {
        bool shifted = course % 2 == 1;
        for (int k = 0; k < bricks + shifted; ++k) {
            bool is_half = shifted && (k == 0 || k == bricks);
            double left = shifted && k > 0 ? k - 0.5 : k; // in bricks
            double middle = left + (is_half ? 0.25 : 0.5) - 0.5 * bricks;
            CnVec3 edges = cn_vec3(is_half ? 0.5 * brick.x : brick.x, brick.y, brick.z);
            CnSketchBody body = {
                .what = "brick",
                .material = material,
                .shape = cn_box_def(edges),
                .pose = cn_at(cn_vec3(middle * brick.x, 0.0, (course + 0.5) * brick.z))};
            cn_sketch_body(sketch, &body);
        }
    }
}

// ---- arch ----

// A wedge between two angles [rad] and two radii [m], seen from a point at mid radius.
static void draw_voussoir(CnSketch* sketch, CnMaterialId stone, double from, double to,
                          double inner, double outer) {
    const double half_depth = 0.5; // [m]
    double mid_angle = 0.5 * (from + to), mid_radius = 0.5 * (inner + outer);
    CnVec3 middle = cn_vec3(mid_radius * cn_cos(mid_angle), 0.0, mid_radius * cn_sin(mid_angle));
    CnVec3 points[8];
    for (int i = 0; i < 8; ++i) {
        double angle = i & 1 ? to : from, radius = i & 2 ? outer : inner;
        CnVec3 corner = cn_vec3(radius * cn_cos(angle), i & 4 ? half_depth : -half_depth,
                                radius * cn_sin(angle));
        points[i] = cn_vec3_sub(corner, middle);
    }
    CnSketchBody voussoir = {.what = "voussoir",
                             .material = stone,
                             .shape = cn_shape_def_default(CN_SHAPE_CONVEX),
                             .pose = cn_at(middle)};
    voussoir.shape.points = points;
    voussoir.shape.point_count = 8;
    cn_sketch_body(sketch, &voussoir);
}

// A half circle of wedges whose middles lie at 10 m. Such an arch stands on its own when it is
// thicker than 0.10672 of that radius (docs/theory/arch.md).
void cn_builtin_arch(CnSketch* sketch, int size) {
    enum { VOUSSOIRS = 27 };
    const double radius = 10.0; // [m]
    double half_thickness = 0.5 * radius * size * 1e-4;
    CnMaterialId stone = cn_sketch_material(sketch, "stone", 0.8, 0.0, 2400.0);
    cn_sketch_floor(sketch, stone, cn_quat_identity());
    for (int i = 0; i < VOUSSOIRS; ++i) {
        draw_voussoir(sketch, stone, CN_PI * i / VOUSSOIRS, CN_PI * (i + 1) / VOUSSOIRS,
                      radius - half_thickness, radius + half_thickness);
    }
}

// ---- house of cards ----

typedef struct CardHouse {
    double length, width, thickness; // of a card [m]
    double sine, cosine;             // of the angle that cards lean from the vertical
    double spacing;                  // from tent to tent [m]
    double storey;                   // height of a tent [m]
    CnMaterialId material;
} CardHouse;

static void draw_card(CnSketch* sketch, const CardHouse* house, CnVec3 position, CnQuat rotation) {
    CnSketchBody card = {.what = "card",
                         .material = house->material,
                         .shape =
                             cn_box_def(cn_vec3(house->thickness, house->width, house->length)),
                         .pose = {position, rotation}};
    cn_sketch_body(sketch, &card);
}

// Two cards that stand on an edge and meet at their upper inner edges, above x.
static void draw_tent(CnSketch* sketch, const CardHouse* house, double angle, double x,
                      double floor) {
    double out = 0.5 * (house->length * house->sine + house->thickness * house->cosine);
    double up = 0.5 * house->storey;
    CnVec3 along_y = cn_vec3(0.0, 1.0, 0.0);
    draw_card(sketch, house, cn_vec3(x - out, 0.0, floor + up),
              cn_quat_from_axis_angle(along_y, angle));
    draw_card(sketch, house, cn_vec3(x + out, 0.0, floor + up),
              cn_quat_from_axis_angle(along_y, -angle));
}

// Storeys of tents, one fewer in each, and cards laid flat from ridge to ridge between them.
void cn_builtin_cardhouse(CnSketch* sketch, int size) {
    const double angle = CN_PI / 10.0, gap = 0.01; // [rad], between feet of neighbours [m]
    CardHouse house = {.length = 1.0,
                       .width = 0.7,
                       .thickness = 0.02,
                       .sine = cn_sin(angle),
                       .cosine = cn_cos(angle)};
    CnQuat flat = cn_quat_from_axis_angle(cn_vec3(0.0, 1.0, 0.0), 0.5 * CN_PI);
    house.spacing = 2.0 * (house.length * house.sine + house.thickness * house.cosine) + gap;
    house.storey = house.length * house.cosine + house.thickness * house.sine;
    house.material = cn_sketch_material(sketch, "card", 0.8, 0.0, 600.0);
    cn_sketch_floor(sketch, house.material, cn_quat_identity());
    for (int storey = 0; storey < size; ++storey) {
        int tents = size - storey;
        double floor = storey * (house.storey + house.thickness);
        for (int k = 0; k < tents; ++k) {
            double x = (k - 0.5 * (tents - 1)) * house.spacing;
            draw_tent(sketch, &house, angle, x, floor);
        }
        CardHouse lid = house;
        lid.length = house.spacing - gap;
        for (int k = 0; k < tents - 1; ++k) {
            CnVec3 middle = cn_vec3((k - 0.5 * (tents - 2)) * house.spacing, 0.0,
                                    floor + house.storey + 0.5 * house.thickness);
            draw_card(sketch, &lid, middle, flat);
        }
    }
}

// ---- a tower of planks ----

// Two planks of 1 : 3 : 15 lie flat, the next two across their ends, and so on.
void cn_builtin_kapla(CnSketch* sketch, int size) {
    const CnVec3 plank = {0.117, 0.0234, 0.0078}; // [m]
    const double out = 0.5 * (plank.x - plank.y);
    CnQuat across = cn_quat_from_axis_angle(cn_vec3(0.0, 0.0, 1.0), 0.5 * CN_PI);
    CnMaterialId wood = cn_sketch_material(sketch, "wood", 0.5, 0.0, 600.0);
    cn_sketch_floor(sketch, wood, cn_quat_identity());
    for (int i = 0; i < 2 * size; ++i) {
        int storey = i / 2;
        double side = i % 2 == 0 ? -out : out, height = (storey + 0.5) * plank.z;
        bool is_across = storey % 2 == 1;
        CnVec3 position = is_across ? cn_vec3(side, 0.0, height) : cn_vec3(0.0, side, height);
        CnSketchBody body = {.what = "plank",
                             .material = wood,
                             .shape = cn_box_def(plank),
                             .pose = {position, is_across ? across : cn_quat_identity()}};
        cn_sketch_body(sketch, &body);
    }
}
