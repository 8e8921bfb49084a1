// watch_events.c - a ball falls through a gate, bounces on the ground, rests and is taken away.
#include <cairn/cairn.h>
#include <stdio.h>

static CnBodyId add(CnWorld* world, const char* name, CnBodyType type, CnVec3 position,
                    const CnShapeDef* shape, CnError* error) {
    CnBodyDef def = cn_body_def_default();
    def.name = name;
    def.type = type;
    def.position = position;
    def.shapes = shape;
    def.shape_count = 1;
    return cn_world_add_body(world, &def, error);
}

static CnBodyId furnish(CnWorld* world, CnError* error) {
    CnMaterialDef rubber = cn_material_def_default();
    rubber.restitution = 0.2;
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnShapeDef ball = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnShapeDef gate = cn_shape_def_default(CN_SHAPE_BOX);
    plane.material = ball.material = cn_world_add_material(world, &rubber, error);
    ball.radius = 0.1;
    gate.size = cn_vec3(1.0, 1.0, 0.2);
    gate.sensor = true;
    add(world, "ground", CN_BODY_STATIC, cn_vec3(0.0, 0.0, 0.0), &plane, error);
    add(world, "gate", CN_BODY_STATIC, cn_vec3(0.0, 0.0, 1.0), &gate, error);
    return add(world, "ball", CN_BODY_DYNAMIC, cn_vec3(0.0, 0.0, 2.0), &ball, error);
}

static void tell(const CnWorld* world) {
    CnEvent events[16];
    int count = cn_world_events(world, events, 16);
    for (int i = 0; i < count && i < 16; ++i) {
        const CnEvent* event = &events[i];
        printf("%.3f s: %s of %s and %s", event->time, cn_event_type_name(event->type),
               cn_body_name(world, event->body_a), cn_body_name(world, event->body_b));
        if (event->type == CN_EVENT_CONTACT_HIT) {
            printf(" at %.2f m/s, %.2f N s", event->speed, event->impulse);
        }
        printf("\n");
    }
}

int main(void) {
    CnError error = {0};
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, &error);
    CnBodyId ball = world == NULL ? (CnBodyId){0} : furnish(world, &error);
    CnStatus status = ball.index == 0 ? CN_INVALID : CN_OK;

    for (int i = 0; i < 1500 && status == CN_OK; ++i) {
        if (i == 1400) {
            cn_world_remove_body(world, ball);
        }
        status = cn_world_step(world, 1e-3, NULL, &error);
        tell(world);
    }
    if (status != CN_OK) {
        fprintf(stderr, "%s\n", error.message);
    }
    cn_world_destroy(world);
    return status == CN_OK ? 0 : 1;
}
