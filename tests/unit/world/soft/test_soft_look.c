// test_soft_look.c - what looks tell apart is apart, and they tell most.
#include "cairn/random.h"
#include "collision/convex/distance.h"
#include "support/run.h"
#include "world/contacts/places.h"
#include "world/soft/soft_look.h"
#include "world/world.h"

#define BODIES 120

static void add_bodies(CnWorld* world, double far) {
    CnRandom random = {5};
    for (int i = 0; i < BODIES; ++i) {
        CnShapeDef shape;
        CnBodyDef body = run_random_body(&random, i, cn_vec3(far, 0.0, 1.0), 4.0, &shape);
        run_add(world, &body);
    }
}

// All pairs, far from the origin of the world too, where floats are coarse: a look never tells
// apart what cn_places_margin() says may meet.
static void looks_tell_only_of_what_is_apart(void) {
    const double places[] = {0.0, 3e4};
    int said[2] = {0, 0}, above[2] = {0, 0}, apart = 0, wrong = 0;
    for (int place = 0; place < 2; ++place) {
        CnWorldDef def = cn_world_def_real_time();
        CnWorld* world = run_create(&def);
        run_add_ground(world, (CnMaterialId){0});
        add_bodies(world, places[place]);
        world->step.dt = 1.0 / 60.0;
        CHECK_INT(cn_places_update(world, NULL, world->step.dt), CN_OK);
        for (int a = 0; a <= BODIES; ++a) {
            for (int b = a + 1; b <= BODIES; ++b) {
                const int shapes[2] = {a, b};
                const int bodies[2] = {cn_world_shape_at(world, a)->body,
                                       cn_world_shape_at(world, b)->body};
                double margin = cn_places_margin(world, shapes, bodies);
                bool says =
                    cn_soft_look_apart(&world->soft->looks.data[a], &world->soft->looks.data[b],
                                       (float)world->def.step.contact_margin);
                bool is_apart = cn_nearest(world->shape_places.data[a].placed,
                                           world->shape_places.data[b].placed)
                                    .distance > margin;
                said[place] += says;
                above[place] += a == 0 && says; // the ground
                apart += place == 0 && is_apart;
                wrong += says && !is_apart;
            }
        }
        cn_world_destroy(world);
    }
    CHECK_INT(wrong, 0);
    CHECK(apart > 3000);
    CHECK(10 * said[0] > 7 * apart); // balls around capsules and boxes miss some
    CHECK(said[1] > 0);
    CHECK(above[0] > BODIES / 3 && above[1] > BODIES / 3); // bodies are up to 2 m above it
}

TEST_MAIN("unit/world/soft/soft_look", TEST(looks_tell_only_of_what_is_apart))
