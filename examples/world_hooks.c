// world_hooks.c - threads, memory and messages of a world are the caller's if he likes.
#include <cairn/cairn.h>
#include <stdio.h>
#include <stdlib.h>

static void* allocate(size_t size, size_t alignment, void* context) {
    long* count = context;
    ++*count;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void release(void* memory, void* context) {
    long* count = context;
    *count -= memory != NULL;
    free(memory);
}

static void write_line(CnLogLevel level, const char* sentence, void* context) {
    (void)context;
    printf("%s: %s\n", level == CN_LOG_WARNING ? "warning" : "note", sentence);
}

int main(void) {
    CnError error = {0};
    long blocks = 0;
    CnTaskPool* pool = cn_task_pool_create(2, &error); // this thread and one more
    CnWorldDef def = cn_world_def_default();
    def.allocator = (CnAllocator){allocate, release, &blocks};
    def.log = (CnLog){write_line, NULL};
    if (pool != NULL) {
        def.tasks = cn_task_pool_tasks(pool); // the results are the same for any number
    }
    CnWorld* world = cn_world_create(&def, &error);

    CnBodyDef heavy = cn_body_def_default();
    heavy.has_mass = true;
    heavy.mass = -1.0;
    CnBodyId none = cn_world_add_body(world, &heavy, &error);
    if (none.index == 0) {
        printf("%s: %s\n", cn_status_name(error.status), error.message);
    }
    CnStatus status = cn_world_remove_body(world, none);
    printf("removing it: %s\n", cn_status_name(status));
    cn_world_destroy(world);
    cn_task_pool_destroy(pool);
    printf("%ld blocks of memory left\n", blocks);
    return blocks == 0 && status == CN_STALE ? 0 : 1;
}
