// fuzz_mesh.c - any bytes as a mesh: refused with a sentence, or a sound soup.
#include "fuzz.h"

#include "io/mesh/mesh_file.h"
#include <math.h>

static void check_soup(const CnTriangleSoup* soup) {
    PROMISE(soup->vertex_count >= 3 && soup->triangle_count >= 1 && soup->flat_count >= 0);
    for (int i = 0; i < soup->vertex_count; ++i) {
        CnVec3 v = soup->vertices[i];
        PROMISE(fabs(v.x) <= CN_MESH_MAX_COORDINATE && fabs(v.y) <= CN_MESH_MAX_COORDINATE &&
                fabs(v.z) <= CN_MESH_MAX_COORDINATE);
    }
    for (int i = 0; i < soup->triangle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            int corner = soup->triangles[i].corner[k];
            PROMISE(corner >= 0 && corner < soup->vertex_count);
            PROMISE(corner != soup->triangles[i].corner[(k + 1) % 3]);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const char* const labels[] = {"mesh", "mesh.obj", "mesh.stl", "mesh.ply"};
    const CnAllocator allocator = {0};
    for (int i = 0; i < 4; ++i) {
        CnTriangleSoup soup;
        CnError error = {.status = CN_OK};
        double volume = 0.0;
        CnStatus status =
            cn_mesh_parse((const char*)data, size, labels[i], &allocator, &soup, &error);
        PROMISE((status == CN_OK) == (error.message[0] == 0));
        PROMISE((status == CN_OK) == (soup.vertices != NULL));
        if (status == CN_OK) {
            check_soup(&soup);
            status = cn_mesh_volume(&soup, &allocator, &volume, &error);
            PROMISE(status != CN_OK || (isfinite(volume) && volume > 0.0));
        }
        cn_mesh_free(&soup, &allocator);
    }
    return 0;
}
