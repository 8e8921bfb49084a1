// program.c - a stranger's program: steps a body and says which library did it.
#include <cairn/cairn.h>
#include <stdio.h>

int main(int argc, char** argv) {
    (void)argv;
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, NULL);
    CnStatus status = cn_world_step(world, 0.01, NULL, NULL);
    cn_world_destroy(world);
    // An inline function of the headers that calls libm, with what no compiler knows.
    double length = cn_vec3_length(cn_vec3(3.0 * argc, 4.0 * argc, 0.0));
    puts(cn_version());
    return status == CN_OK && length == 5.0 * argc ? 0 : 1;
}
