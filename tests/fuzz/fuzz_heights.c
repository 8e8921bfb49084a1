// fuzz_heights.c - any bytes as a file of heights: refused with a sentence, or a full, finite grid.
#include "fuzz.h"

#include "io/mesh/height_file.h"
#include "io/mesh/mesh_file.h"
#include <math.h>
#include <string.h>

static void check_grid(const CnHeightGrid* grid) {
    PROMISE(grid->columns >= 1 && grid->rows >= 1);
    for (int i = 0; i < grid->columns * grid->rows; ++i) {
        PROMISE(fabs(grid->heights[i]) <= CN_MESH_MAX_COORDINATE);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const CnAllocator allocator = {0};
    CnHeightGrid grid;
    CnError error = {.status = CN_OK};
    char* text = calloc(size + 1, 1); // with the null character that files get when they are read
    PROMISE(text != NULL);
    if (size > 0) {
        memcpy(text, data, size);
    }
    CnStatus status = cn_height_parse(text, size, "heights", &allocator, &grid, &error);
    PROMISE((status == CN_OK) == (error.message[0] == 0));
    PROMISE((status == CN_OK) == (grid.heights != NULL));
    if (status == CN_OK) {
        check_grid(&grid);
    }
    cn_height_grid_free(&grid, &allocator);
    free(text);
    return 0;
}
