// state.c - saving and loading the state of a world, to and from files and memory.
//
// A state is a head of 32 bytes and a body, all numbers little-endian: docs/adr/0020. It is loaded
// into a world that is made of the same things, which takes the world's place when all of it fits:
// a state that is refused changes nothing.
#include "cairn/state.h"

#include "base/error.h"
#include "world/soft/soft_pack.h"
#include "world/state/clone.h"
#include "world/state/memory.h"
#include "world/state/rebuild.h"
#include "world/state/sound.h"
#include "world/state/structure.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MAGIC "CairnSt"
#define VERSION 7u
#define HEAD_SIZE 32
#define FIRST_SIZE 65536 // of the memory that a state is written into: it doubles as it is filled

typedef struct Head {
    char magic[8];
    uint32_t version, layouts;
    uint64_t size, checksum; // of the body
} Head;

static void stream_head(CnStateStream* stream, Head* head) {
    cn_stream_bytes(stream, head->magic, sizeof head->magic);
    cn_stream_u32(stream, &head->version);
    cn_stream_u32(stream, &head->layouts);
    cn_stream_u64(stream, &head->size);
    cn_stream_u64(stream, &head->checksum);
}

// ---- saving ----

// The head is written last, over the room that was left for it.
static void write_head(CnStateStream* stream) {
    Head head = {
        .magic = MAGIC,
        .version = VERSION,
        .layouts = cn_layouts_digest(),
        .size = stream->size - HEAD_SIZE,
        .checksum = cn_stream_checksum(stream->bytes + HEAD_SIZE, stream->size - HEAD_SIZE),
    };
    size_t size = stream->size;
    stream->size = 0;
    stream_head(stream, &head);
    stream->size = size;
}

// Writing reads the world and changes nothing of it but scratch memory.
static CnStatus write_state(const CnWorld* world, CnStateStream* stream, CnError* error) {
    CnStatus status = cn_world_check_idle(world, error);
    if (status != CN_OK) {
        return status;
    }
    CnWorld* read = (CnWorld*)world;
    CnStructure structure = cn_structure_of(world);
    Head none = {.magic = ""};
    *stream = (CnStateStream){.allocator = world->allocator};
    cn_stream_reserve(stream, FIRST_SIZE);
    stream_head(stream, &none);
    cn_stream_structure(stream, &structure);
    cn_stream_settings(stream, read, NULL);
    cn_stream_memory(stream, read);
    if (!cn_stream_is_good(stream)) {
        cn_release(&stream->allocator, stream->bytes);
        return cn_error_set(error, CN_NO_MEMORY, "no memory for the state of %d bodies",
                            world->order.count);
    }
    write_head(stream);
    return CN_OK;
}

CnStatus cn_world_save_state_memory(const CnWorld* world, void** bytes, size_t* size,
                                    CnError* error) {
    CnStateStream stream;
    *bytes = NULL;
    *size = 0;
    if (!cn_soft_reserve_flush((CnWorld*)world)) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for the impulses of contacts");
    }
    cn_soft_flush((CnWorld*)world);
    CnStatus status = write_state(world, &stream, error);
    if (status == CN_OK) {
        *bytes = stream.bytes;
        *size = stream.size;
    }
    return status;
}

void cn_world_release_state(const CnWorld* world, void* bytes) {
    cn_release(&world->allocator, bytes);
}

static CnStatus write_file(const char* path, const void* bytes, size_t size, CnError* error) {
    FILE* file = fopen(path, "wb");
    bool ok = file != NULL && fwrite(bytes, 1, size, file) == size;
    int cause = errno;
    if (file != NULL && fclose(file) != 0) {
        cause = ok ? errno : cause;
        ok = false;
    }
    if (!ok && file != NULL) {
        remove(path);
    }
    return ok ? CN_OK
              : cn_error_set(error, CN_INVALID, "%s: cannot be written: %s", path, strerror(cause));
}

CnStatus cn_world_save_state(const CnWorld* world, const char* path, CnError* error) {
    void* bytes;
    size_t size;
    CnStatus status = cn_world_save_state_memory(world, &bytes, &size, error);
    if (status == CN_OK) {
        status = write_file(path, bytes, size, error);
        cn_world_release_state(world, bytes);
    }
    return status;
}

// ---- loading ----

static CnStatus check_head(const CnStateStream* stream, const Head* head, CnError* error) {
    if (stream->is_damaged || memcmp(head->magic, MAGIC, sizeof head->magic) != 0) {
        return cn_error_set(error, CN_INVALID, "this is not the state of a world");
    }
    if (head->version != VERSION || head->layouts != cn_layouts_digest()) {
        return cn_error_set(error, CN_INVALID,
                            "the state was saved by another version of Cairn (format %u/%08x, this "
                            "one reads %u/%08x)",
                            (unsigned)head->version, (unsigned)head->layouts, VERSION,
                            (unsigned)cn_layouts_digest());
    }
    if (head->size != stream->size - HEAD_SIZE) {
        return cn_error_set(error, CN_INVALID,
                            "the state should have %llu bytes after its head, but has %llu: it was "
                            "cut off or added to",
                            (unsigned long long)head->size,
                            (unsigned long long)(stream->size - HEAD_SIZE));
    }
    if (head->checksum != cn_stream_checksum(stream->bytes + HEAD_SIZE, stream->size - HEAD_SIZE)) {
        return cn_error_set(error, CN_INVALID,
                            "the state is damaged: its checksum is not that of its bytes");
    }
    return CN_OK;
}

static CnStatus explain(const CnStateStream* stream, CnError* error) {
    if (stream->lacks_memory) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for the state");
    }
    if (stream->is_other) {
        return cn_error_set(error, CN_INVALID,
                            "the state is that of another world: joints broke or got new limits, "
                            "motors or springs in the one and not in the other; load it into a "
                            "world that was just made, with the same axes");
    }
    return cn_error_set(error, CN_INVALID, "the state is damaged, though its checksum is right");
}

static CnStatus read_body(CnStateStream* stream, CnWorld* world, CnError* error) {
    CnStructure state = {0}, own = cn_structure_of(world);
    cn_stream_structure(stream, &state);
    CnStatus status = cn_stream_is_good(stream) ? cn_structure_compare(&state, &own, error) : CN_OK;
    if (status == CN_OK) {
        status = cn_stream_settings(stream, world, error);
    }
    if (status != CN_OK) {
        return status;
    }
    cn_stream_memory(stream, world);
    if (cn_stream_is_good(stream)) {
        stream->is_damaged = stream->place != stream->size || !cn_state_is_sound(world);
    }
    if (cn_stream_is_good(stream)) {
        stream->lacks_memory = !cn_state_rebuild(world);
    }
    return cn_stream_is_good(stream) ? CN_OK : explain(stream, error);
}

// All but scratch memory, some of which knows where its world is.
static void exchange(CnWorld* world, CnWorld* other) {
    CnWorld kept = *world;
    *world = *other;
    *other = kept;
    other->workspaces = world->workspaces;
    other->search = world->search;
    other->workspace_count = world->workspace_count;
    world->workspaces = kept.workspaces;
    world->search = kept.search;
    world->workspace_count = kept.workspace_count;
}

CnStatus cn_world_load_state_memory(CnWorld* world, const void* bytes, size_t size,
                                    CnError* error) {
    Head head = {.magic = ""};
    CnStateStream stream = {
        .is_reading = true, .bytes = (unsigned char*)bytes, .size = size}; // only read
    CnError own;
    error = error == NULL ? &own : error;
    CnStatus status = cn_world_check_idle(world, error);
    if (status != CN_OK) {
        return status;
    }
    stream_head(&stream, &head);
    status = check_head(&stream, &head, error);
    if (status != CN_OK) {
        return status;
    }
    CnWorld* clone = cn_clone_without_memory(world, error);
    if (clone == NULL) {
        return error->status;
    }
    status = read_body(&stream, clone, error);
    if (status == CN_OK) {
        exchange(world, clone);
    }
    cn_world_destroy(clone);
    return status;
}

// The whole file, in memory of the world's; *bytes stays NULL when it fails.
static CnStatus read_file(const CnWorld* world, const char* path, void** bytes, size_t* size,
                          CnError* error) {
    FILE* file = fopen(path, "rb");
    long end = -1;
    *bytes = NULL;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        end = ftell(file);
    }
    if (file == NULL || end < 0 || fseek(file, 0, SEEK_SET) != 0) {
        cn_error_set(error, CN_INVALID, "%s: cannot be read: %s", path, strerror(errno));
    } else if ((*bytes = cn_allocate_raw(&world->allocator, (size_t)end + 1, 1)) == NULL) {
        cn_error_set(error, CN_NO_MEMORY, "%s: no memory for %ld bytes", path, end);
    } else {
        *size = fread(*bytes, 1, (size_t)end, file);
    }
    if (file != NULL) {
        fclose(file);
    }
    return *bytes != NULL ? CN_OK : error->status;
}

CnStatus cn_world_load_state(CnWorld* world, const char* path, CnError* error) {
    CnError own, cause = {0};
    void* bytes;
    size_t size = 0;
    error = error == NULL ? &own : error;
    CnStatus status = read_file(world, path, &bytes, &size, error);
    if (status != CN_OK) {
        return status;
    }
    status = cn_world_load_state_memory(world, bytes, size, &cause);
    cn_release(&world->allocator, bytes);
    return status == CN_OK ? CN_OK : cn_error_set(error, status, "%s: %s", path, cause.message);
}
