// sleepers.c - a pile falls asleep, shows its forces in its sleep, and wakes when a ball hits it.
#include <cairn/cairn.h>
#include <stdio.h>

static CnBodyId add(CnWorld* world, CnShapeType type, CnVec3 position) {
    CnShapeDef shape = cn_shape_def_default(type);
    CnBodyDef body = cn_body_def_default();
    body.type = type == CN_SHAPE_PLANE ? CN_BODY_STATIC : CN_BODY_DYNAMIC;
    body.shapes = &shape;
    body.shape_count = 1;
    body.position = position;
    return cn_world_add_body(world, &body, NULL);
}

// What a body carries of those above it and gives to those below: forces on it from below [N].
static double carried_weight(const CnWorld* world, CnBodyId body) {
    CnContactPoint points[16];
    int count = cn_body_contacts(world, body, points, 16);
    double force = 0.0;
    for (int i = 0; i < count; ++i) {
        force += points[i].force.z > 0.0 ? points[i].force.z : -points[i].force.z;
    }
    return force;
}

static void run(CnWorld* world, double seconds) {
    CnStepReport report = {0};
    CnEvent events[16];
    for (int i = 0; i < seconds / 0.01; ++i) {
        cn_world_step(world, 0.01, &report, NULL);
        int count = cn_world_events(world, events, 16);
        for (int k = 0; k < count && k < 16; ++k) {
            if (events[k].type == CN_EVENT_SLEEP || events[k].type == CN_EVENT_WAKE) {
                printf("%.2f s: body %u %s\n", events[k].time, events[k].body_a.index,
                       events[k].type == CN_EVENT_SLEEP ? "falls asleep" : "wakes");
            }
        }
    }
    printf("%.2f s: %d bodies in %d islands sleep, %d rows, %.6f J\n", report.time,
           report.sleeping_bodies, report.sleeping_islands, report.row_count, report.energy.end);
}

int main(void) {
    CnWorldDef def = cn_world_def_default();
    def.step.sleep = true;       // what has been slower than
    def.step.sleep_speed = 0.05; // [m/s] for
    def.step.sleep_time = 0.5;   // [s], with all that it touches, sleeps
    CnWorld* world = cn_world_create(&def, NULL);
    add(world, CN_SHAPE_PLANE, cn_vec3(0.0, 0.0, 0.0));
    CnBodyId low = add(world, CN_SHAPE_BOX, cn_vec3(0.0, 0.0, 0.5));
    CnBodyId high = add(world, CN_SHAPE_BOX, cn_vec3(0.0, 0.0, 1.5));

    run(world, 1.0);
    int failed = cn_body_is_awake(world, low) || cn_body_is_awake(world, high);
    double weight = carried_weight(world, high); // the last step that it was awake in
    printf("asleep, the upper box stands on %.3f N\n", weight);
    failed |= weight < 9809.9 || weight > 9810.1; // 1000 kg * 9.81 m/s^2

    add(world, CN_SHAPE_SPHERE, cn_vec3(0.0, 0.0, 4.0)); // 1.5 m above: there in 0.55 s
    run(world, 0.6);
    failed |= !cn_body_is_awake(world, low); // both wake in the step of the hit

    run(world, 1.5);
    failed |= cn_body_is_awake(world, low);
    cn_body_set_awake(world, low, true, NULL); // by hand, with all that fell asleep with it
    failed |= !cn_body_is_awake(world, high);
    cn_world_destroy(world);
    return failed;
}
