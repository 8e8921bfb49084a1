// trees.c - worlds for tests of kept trees.
#include "support/trees.h"

CnWorld* trees_open_moving(const char* scene) {
    CnWorld* world = run_open(scene);
    run_steps(world, 1e-3, 20);
    CHECK(world->trees != NULL && world->trees->serves);
    CHECK(world->trees->at == CN_TREES_AT_END);
    return world;
}
