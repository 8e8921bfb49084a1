// program.cpp - the same stranger, in C++: every public header must compile there too.
#include <cairn/cairn.h>
#include <cstdio>

int main() {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, nullptr);
    CnStatus status = cn_world_step(world, 0.01, nullptr, nullptr);
    cn_world_destroy(world);
    std::puts(cn_version());
    return status == CN_OK ? 0 : 1;
}
