// run_soak.c - bodies created and destroyed for a long time: memory stays flat.
//
//     run_soak STEPS
//
// The same cycle again and again: in each step a body comes, often with a joint, a force, a contact
// or an excluded pair, and an old one goes; at the end of the cycle all are gone. After two cycles
// every array has its size: what the world holds then must never change by a byte.
#include "session.h"

#include <stdio.h>

enum {
    CYCLE = 250, // steps
    ALIVE = 8,   // bodies at a time
    WARM_UP = 2, // cycles
};

typedef struct Soak {
    CnWorld* world;
    FailingAllocator memory;
    Dice dice;
    CnBodyId bodies[ALIVE]; // by turns
    int steps;
    int failed;
} Soak;

static CnShapeDef next_shape(Dice* dice, CnVec3 points[8]) {
    static const CnShapeType types[] = {CN_SHAPE_SPHERE, CN_SHAPE_BOX, CN_SHAPE_CAPSULE,
                                        CN_SHAPE_CYLINDER, CN_SHAPE_CONVEX};
    CnShapeDef shape = cn_shape_def_default(types[dice_below(dice, 5)]);
    shape.radius = dice_number(dice, 0.1, 0.3);
    shape.length = dice_number(dice, 0.1, 0.5);
    shape.size = cn_vec3(0.3, dice_number(dice, 0.2, 0.5), 0.4);
    for (int i = 0; i < 8; ++i) {
        points[i] = dice_vector(dice, 0.3);
    }
    shape.points = points;
    shape.point_count = shape.type == CN_SHAPE_CONVEX ? 8 : 0;
    return shape;
}

static CnBodyId add_body(Soak* soak) {
    Dice* dice = &soak->dice;
    char name[32];
    CnVec3 points[8];
    CnShapeDef shape = next_shape(dice, points);
    CnBodyDef def = cn_body_def_default();
    snprintf(name, sizeof name, "body %d", soak->steps % CYCLE);
    def.name = name;
    def.shapes = &shape;
    def.shape_count = 1;
    def.fast = dice_chance(dice, 0.1);
    def.position = cn_vec3_add(dice_vector(dice, 2.0), cn_vec3(0.0, 0.0, 2.5));
    def.velocity = dice_vector(dice, 2.0);
    return cn_world_add_body(soak->world, &def, NULL);
}

// Something between the new body and one that is there.
static void add_link(Soak* soak, CnBodyId body, CnBodyId other) {
    Dice* dice = &soak->dice;
    CnBodyState state = {0};
    cn_body_state(soak->world, body, &state);
    int what = dice_below(dice, 5);
    if (what == 0) {
        CnJointDef joint = cn_joint_def_default(CN_JOINT_BALL);
        joint.body_a = body;
        joint.body_b = other;
        joint.point_a = state.center;
        joint.point_b = state.center;
        cn_world_add_joint(soak->world, &joint, NULL);
    } else if (what == 1) {
        CnForceDef force = cn_force_def_default();
        force.body = body;
        force.force = dice_vector(dice, 5.0);
        cn_world_add_force(soak->world, &force, NULL);
    } else if (what == 2) {
        CnContactDef contact = cn_contact_def_default();
        contact.body_b = body;
        contact.point = state.center;
        contact.normal = cn_vec3(0.0, 0.0, 1.0);
        contact.gap = state.center.z - 0.1;
        cn_world_add_contact(soak->world, &contact, NULL);
    } else if (what == 3) {
        cn_world_exclude_pair(soak->world, body, other, NULL);
    }
}

static void add_ground(Soak* soak) {
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnBodyDef ground = cn_body_def_default();
    ground.type = CN_BODY_STATIC;
    ground.shapes = &plane;
    ground.shape_count = 1;
    cn_world_add_body(soak->world, &ground, NULL);
}

static void make_step(Soak* soak) {
    int place = soak->steps % ALIVE;
    cn_world_remove_body(soak->world, soak->bodies[place]);
    soak->bodies[place] = add_body(soak);
    add_link(soak, soak->bodies[place], soak->bodies[(place + 3) % ALIVE]);
    soak->failed += cn_world_step(soak->world, 0.01, NULL, NULL) != CN_OK;
    soak->steps += 1;
}

// The bytes that are held at the end of a cycle.
static size_t make_cycle(Soak* soak) {
    soak->dice = dice_of_operation(1, 0, 0.0);
    for (int i = 0; i < CYCLE; ++i) {
        make_step(soak);
    }
    for (int i = 0; i < ALIVE; ++i) {
        cn_world_remove_body(soak->world, soak->bodies[i]);
    }
    soak->failed += cn_world_step(soak->world, 0.01, NULL, NULL) != CN_OK;
    return soak->memory.bytes;
}

int main(int argc, char** argv) {
    Soak soak = {0};
    int cycles = argc == 2 ? atoi(argv[1]) / CYCLE : 0, findings = 0;
    if (cycles <= WARM_UP) {
        fprintf(stderr, "usage: run_soak STEPS     more than %d\n", (WARM_UP + 1) * CYCLE);
        return 2;
    }
    CnWorldDef def = cn_world_def_default();
    def.allocator = failing_allocator(&soak.memory);
    soak.world = cn_world_create(&def, NULL);
    add_ground(&soak);
    size_t flat = 0;
    for (int i = 0; i < cycles; ++i) {
        size_t bytes = make_cycle(&soak);
        if (i >= WARM_UP && bytes != flat) {
            printf("FINDING after %d steps %zu bytes, %zu a cycle before\n", soak.steps, bytes,
                   flat);
            findings += 1;
        }
        flat = bytes;
    }
    cn_world_destroy(soak.world);
    findings += soak.failed > 0 || soak.memory.live != 0;
    printf("%d steps, %d failed, %zu bytes, %d blocks left, %d findings\n", soak.steps, soak.failed,
           flat, soak.memory.live, findings);
    return findings > 0;
}
