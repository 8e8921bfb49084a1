// ordering.c - elimination order of a sparse matrix with little fill-in (AMD).
#include "linalg/ordering.h"

#include <amd.h>
#include <limits.h>

// Memory AMD works best with, beyond its matrix and one number per row: a fifth of the matrix.
#define AMD_ELBOW_ROOM 5

// amd_2 is AMD without its own memory: amd_order would call malloc instead of our allocator.
CnStatus cn_minimum_degree(int n, const int* start, const int* column, CnArena* arena, int* order,
                           int* inverse) {
    size_t entries = (size_t)start[n];
    size_t room = entries + entries / AMD_ELBOW_ROOM + (size_t)n;
    if (room > INT_MAX) {
        return CN_NO_MEMORY;
    }
    CnArenaMark mark = cn_arena_mark(arena);
    int* first = CN_ARENA_NEW(arena, int, n);
    int* length = CN_ARENA_NEW(arena, int, n);
    int* list = CN_ARENA_NEW(arena, int, room);
    int* work = CN_ARENA_NEW(arena, int, 5 * (size_t)n);
    bool complete = first != NULL && length != NULL && list != NULL && work != NULL;
    if (complete && n > 0) {
        int used = 0;
        for (int i = 0; i < n; ++i) {
            first[i] = used;
            for (int e = start[i]; e < start[i + 1]; ++e) {
                if (column[e] != i) {
                    list[used++] = column[e];
                }
            }
            length[i] = used - first[i];
        }
        amd_2(n, first, list, length, (int)room, used, work, inverse, order, work + n, work + 2 * n,
              work + 3 * n, work + 4 * n, NULL, NULL);
    }
    cn_arena_release(arena, mark);
    return complete ? CN_OK : CN_NO_MEMORY;
}
