// program.c - a stranger's program: steps an empty world and says which library did it.
#include <cairn/cairn.h>
#include <stdio.h>

int main(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, NULL);
    CnStatus status = cn_world_step(world, 0.01, NULL, NULL);
    cn_world_destroy(world);
    puts(cn_version());
    return status == CN_OK ? 0 : 1;
}
