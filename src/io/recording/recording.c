// recording.c - reading a recording: whole chunks up to the first that is not.
#include "io/recording/recording.h"

#include "base/error.h"
#include "io/text/file.h"
#include "io/text/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- chunks ----

// What becomes of the raw bytes of a chunk; false: they contradict HEAD, and the rest of the file
// is not looked at.
typedef bool ChunkReader(CnRecording* recording, const CnChunk* chunk, CnErrorList* errors);

// A copy of the chunk's bytes that stays.
static unsigned char* keep_raw(CnRecording* recording, CnErrorList* errors) {
    size_t size = recording->raw.size;
    unsigned char* copy = cn_arena_allocate_raw(&recording->arena, size + 1, 1);
    if (copy == NULL) {
        cn_report_no_memory(errors);
        return NULL;
    }
    memcpy(copy, recording->raw.data, size + 1);
    return copy;
}

static bool read_head(CnRecording* recording, const CnChunk* chunk, CnErrorList* errors) {
    unsigned char* shown = keep_raw(recording, errors); // parsing changes the other
    unsigned char* text = shown == NULL ? NULL : keep_raw(recording, errors);
    (void)chunk;
    if (text == NULL) {
        return false;
    }
    if (recording->info.head != NULL) {
        return cn_report_error(errors, CN_INVALID, 0, "", "there is a second HEAD");
    }
    recording->info.head = (const char*)shown;
    recording->info.head_size = recording->raw.size;
    return cn_recording_read_head(recording, (char*)text, recording->raw.size, errors);
}

static bool read_mesh(CnRecording* recording, const CnChunk* chunk, CnErrorList* errors) {
    const unsigned char* bytes = keep_raw(recording, errors);
    (void)chunk;
    return bytes != NULL && cn_recording_read_meshes(recording, bytes, recording->raw.size, errors);
}

static bool read_scene(CnRecording* recording, const CnChunk* chunk, CnErrorList* errors) {
    (void)chunk;
    recording->info.scene = (const char*)keep_raw(recording, errors);
    recording->info.scene_size = recording->raw.size;
    return recording->info.scene != NULL;
}

static bool read_state(CnRecording* recording, const CnChunk* chunk, CnErrorList* errors) {
    (void)chunk;
    recording->info.state = keep_raw(recording, errors);
    recording->info.state_size = recording->raw.size;
    return recording->info.state != NULL;
}

static bool read_names(CnRecording* recording, const CnChunk* chunk, CnErrorList* errors) {
    char* text = (char*)keep_raw(recording, errors);
    const CnJson* list =
        text == NULL ? NULL : cn_json_parse(text, recording->raw.size, &recording->arena, errors);
    (void)chunk;
    if (list == NULL || list->type != CN_JSON_ARRAY) {
        return list != NULL && cn_report_error(errors, CN_INVALID, 0, "", "TEXT must be a list");
    }
    for (const CnJson* item = list->first; item != NULL; item = item->next) {
        if (item->type != CN_JSON_STRING) {
            return cn_report_error(errors, CN_INVALID, 0, "", "TEXT must be a list of names");
        }
        if (!cn_array_push(&recording->names, &recording->allocator, item->string)) {
            return cn_report_no_memory(errors);
        }
    }
    return true;
}

static const char* name_of(const CnRecording* recording, uint32_t number) {
    return number == 0 || number > (uint32_t)recording->names.count
               ? ""
               : recording->names.data[number - 1];
}

static bool is_body(const CnRecording* recording, int32_t body) {
    return body >= -1 && body < recording->info.body_count;
}

#define EVENT_BYTES (2 * sizeof(double) + 4 * sizeof(uint32_t))
#define EVENTS_HEADER (2 * sizeof(uint32_t))

static bool read_events(CnRecording* recording, const CnChunk* chunk, CnErrorList* errors) {
    const unsigned char* raw = recording->raw.data;
    size_t size = recording->raw.size;
    uint32_t count = 0;
    if (size >= EVENTS_HEADER) {
        memcpy(&count, raw, sizeof count);
    }
    if (size < EVENTS_HEADER || (size - EVENTS_HEADER) / EVENT_BYTES != count ||
        (size - EVENTS_HEADER) % EVENT_BYTES != 0) {
        return cn_report_error(errors, CN_INVALID, 0, "", "EVNT at byte %zu has another size",
                               chunk->offset);
    }
    const unsigned char* times = raw + EVENTS_HEADER;
    const unsigned char* values = times + count * sizeof(double);
    const unsigned char* kinds = values + count * sizeof(double);
    for (size_t i = 0; i < count; ++i) {
        uint32_t kind, name;
        int32_t bodies[2];
        CnRecordedEvent event;
        memcpy(&event.time, times + i * sizeof(double), sizeof event.time);
        memcpy(&event.value, values + i * sizeof(double), sizeof event.value);
        memcpy(&kind, kinds + i * 4, sizeof kind);
        memcpy(&bodies[0], kinds + (count + i) * 4, sizeof bodies[0]);
        memcpy(&bodies[1], kinds + (2 * count + i) * 4, sizeof bodies[1]);
        memcpy(&name, kinds + (3 * (size_t)count + i) * 4, sizeof name);
        if (kind >= (uint32_t)recording->kind_count || !is_body(recording, bodies[0]) ||
            !is_body(recording, bodies[1])) {
            return cn_report_error(errors, CN_INVALID, 0, "",
                                   "EVNT at byte %zu has a kind or body that does not exist",
                                   chunk->offset);
        }
        event.kind = recording->kinds[kind];
        event.body_a = bodies[0];
        event.body_b = bodies[1];
        event.name = name_of(recording, name);
        if (!cn_array_push(&recording->events, &recording->allocator, event)) {
            return cn_report_no_memory(errors);
        }
    }
    return true;
}

static bool read_frames(CnRecording* recording, const CnChunk* chunk, CnErrorList* errors) {
    const CnRecordingInfo* info = &recording->info;
    const unsigned char* times;
    CnFrameChunk frames = {.chunk = *chunk, .first = recording->times.count};
    if (!cn_frame_block_look(recording->raw.data, recording->raw.size, info->body_count,
                             info->joint_count, info->scalar_count, &frames.count, &times)) {
        return cn_report_error(errors, CN_INVALID, 0, "",
                               "FRMS at byte %zu has other counts than HEAD says", chunk->offset);
    }
    if (frames.count > INT32_MAX - recording->times.count ||
        !cn_array_push(&recording->chunks, &recording->allocator, frames) ||
        !cn_array_reserve(&recording->times, &recording->allocator,
                          recording->times.count + frames.count)) {
        return cn_report_no_memory(errors);
    }
    memcpy(recording->times.data + recording->times.count, times,
           (size_t)frames.count * sizeof(double));
    recording->times.count += frames.count;
    return true;
}

static bool read_done(CnRecording* recording, const CnChunk* chunk, CnErrorList* errors) {
    char* text = (char*)keep_raw(recording, errors);
    const CnJson* done =
        text == NULL ? NULL : cn_json_parse(text, recording->raw.size, &recording->arena, errors);
    (void)chunk;
    if (done == NULL) {
        return false;
    }
    bool is_object = done->type == CN_JSON_OBJECT;
    const CnJson* hash = is_object ? cn_json_member(done, "hash") : NULL;
    const CnJson* steps = is_object ? cn_json_member(done, "steps") : NULL;
    const CnJson* frames = is_object ? cn_json_member(done, "frames") : NULL;
    if (hash == NULL || hash->type != CN_JSON_STRING || steps == NULL ||
        steps->type != CN_JSON_NUMBER || frames == NULL || frames->type != CN_JSON_NUMBER ||
        frames->number != (double)recording->times.count ||
        !(fabs(steps->number) <= 9007199254740992.0)) {
        return cn_report_error(errors, CN_INVALID, 0, "", "DONE contradicts the file");
    }
    recording->info.hash = strtoull(hash->string, NULL, 16);
    recording->info.steps = (int64_t)steps->number;
    recording->info.is_whole = true;
    return true;
}

static const struct {
    const char* kind;
    ChunkReader* read;
} readers[] = {{"HEAD", read_head},   {"MESH", read_mesh},  {"SCEN", read_scene},
               {"STAT", read_state},  {"TEXT", read_names}, {"EVNT", read_events},
               {"FRMS", read_frames}, {"DONE", read_done}};

static bool read_chunk(CnRecording* recording, const CnChunk* chunk, CnErrorList* errors) {
    ChunkReader* read = NULL;
    CnError error;
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; ++i) {
        read = strcmp(readers[i].kind, chunk->kind) == 0 ? readers[i].read : read;
    }
    if (read == NULL) {
        return true; // of a later version
    }
    if (read != read_head && recording->info.head == NULL) {
        return cn_report_error(errors, CN_INVALID, 0, "", "the first chunk is not HEAD");
    }
    CnStatus status =
        cn_chunk_decode(chunk, recording->codecs, recording->codec_count, &recording->raw, &error);
    if (status != CN_OK) {
        return cn_report_error(errors, status, 0, "", "%s", error.message);
    }
    return read(recording, chunk, errors);
}

// ---- opening ----

static bool check_header(const CnRecording* recording, CnErrorList* errors) {
    uint32_t version, zero;
    if (recording->size < CN_RECORDING_HEADER ||
        memcmp(recording->bytes, CN_RECORDING_MAGIC, strlen(CN_RECORDING_MAGIC)) != 0) {
        return cn_report_error(errors, CN_INVALID, 0, "", "this is no recording of Cairn");
    }
    memcpy(&version, recording->bytes + 8, sizeof version);
    memcpy(&zero, recording->bytes + 12, sizeof zero);
    if (version != CN_RECORDING_VERSION || zero != 0) {
        return cn_report_error(errors, CN_INVALID, 0, "",
                               "the recording is of version %u; this program reads version %u",
                               version, CN_RECORDING_VERSION);
    }
    return true;
}

static void set_remark(CnRecording* recording, const char* remark) {
    recording->info.is_whole = false;
    recording->info.hash = 0;
    recording->info.steps = 0;
    snprintf(recording->info.remark, sizeof recording->info.remark, "%s", remark);
}

// What is cut off or damaged ends the recording; whole chunks that contradict each other are an
// error.
static void read_chunks(CnRecording* recording, CnErrorList* errors) {
    CnRecordingInfo* info = &recording->info;
    size_t offset = CN_RECORDING_HEADER;
    char remark[200] = "";
    CnChunkOutcome outcome = CN_CHUNK_WHOLE;
    while (outcome == CN_CHUNK_WHOLE && errors->error_count == 0 && !info->is_whole) {
        CnChunk chunk;
        outcome = cn_chunk_next(recording->bytes, recording->size, &offset, &chunk, remark,
                                sizeof remark);
        if (outcome == CN_CHUNK_WHOLE) {
            read_chunk(recording, &chunk, errors);
        }
    }
    if (errors->error_count > 0) {
        return;
    }
    if (info->head == NULL) {
        cn_report_error(errors, CN_INVALID, 0, "", "it has no whole HEAD; %s",
                        remark[0] != '\0' ? remark : "the file ends before it");
    } else if (info->is_whole && offset != recording->size) {
        set_remark(recording, "there are bytes behind the end of the recording");
    } else if (!info->is_whole) {
        set_remark(recording, remark[0] != '\0'
                                  ? remark
                                  : "the run was cut off, or is still going on: there is no DONE");
    }
}

static CnRecording* make(const char* label, const CnCodec* codecs, int codec_count,
                         CnError* error) {
    const CnAllocator allocator = {0};
    CnRecording* recording = cn_allocate(&allocator, 1, sizeof *recording);
    if (recording == NULL) {
        cn_error_set(error, CN_NO_MEMORY, "no memory for a recording");
        return NULL;
    }
    recording->loaded = -1;
    recording->label = label;
    recording->codec_count = codec_count;
    cn_arena_init(&recording->arena, &recording->allocator);
    cn_bytes_init(&recording->raw, &recording->allocator);
    cn_frame_block_init(&recording->block, &recording->allocator);
    CnCodec* copy = CN_ARENA_NEW(&recording->arena, CnCodec, codec_count);
    if (copy == NULL) {
        cn_error_set(error, CN_NO_MEMORY, "no memory for a recording");
        cn_recording_close(recording);
        return NULL;
    }
    for (int i = 0; i < codec_count; ++i) {
        copy[i] = codecs[i];
    }
    recording->codecs = copy;
    return recording;
}

// A file that was cut off before MESH has meshes of no points.
static void empty_meshes(CnRecordingInfo* info) {
    CnRecordedMesh* meshes = (CnRecordedMesh*)(uintptr_t)info->meshes; // of the arena, ours
    for (int i = 0; i < info->mesh_count; ++i) {
        if (meshes[i].points == NULL) {
            meshes[i].point_count = meshes[i].triangle_count = 0;
        }
    }
}

static CnRecording* conclude(CnRecording* recording, CnErrorList* errors, CnError* error) {
    if (errors->error_count == 0 && check_header(recording, errors)) {
        read_chunks(recording, errors);
    }
    if (cn_error_list_first(errors, error) != CN_OK) {
        cn_recording_close(recording);
        return NULL;
    }
    empty_meshes(&recording->info);
    recording->info.frame_count = recording->times.count;
    recording->info.times = recording->times.data;
    recording->info.event_count = recording->events.count;
    recording->info.events = recording->events.data;
    recording->block.body_count = recording->info.body_count;
    recording->block.joint_count = recording->info.joint_count;
    recording->block.scalar_count = recording->info.scalar_count;
    return recording;
}

CnRecording* cn_recording_open_memory(const void* bytes, size_t size, const CnCodec* codecs,
                                      int codec_count, CnError* error) {
    CnErrorList errors;
    CnRecording* recording = make("recording", codecs, codec_count, error);
    if (recording == NULL) {
        return NULL;
    }
    recording->bytes = bytes;
    recording->size = size;
    cn_error_list_init(&errors, recording->label, NULL, 0);
    return conclude(recording, &errors, error);
}

#define LARGEST_FILE ((size_t)1 << 40) // a limit on purpose, not the machine's [bytes]

CnRecording* cn_recording_open(const char* path, const CnCodec* codecs, int codec_count,
                               CnError* error) {
    CnErrorList errors;
    char* bytes = NULL;
    CnRecording* recording = make(path, codecs, codec_count, error);
    if (recording == NULL) {
        return NULL;
    }
    cn_error_list_init(&errors, path, NULL, 0);
    if (cn_file_read(path, LARGEST_FILE, &recording->arena, &bytes, &recording->size, &errors)) {
        recording->bytes = (const unsigned char*)bytes;
    }
    recording = conclude(recording, &errors, error);
    if (recording != NULL) {
        recording->label = "recording"; // the path is the caller's
    }
    return recording;
}

void cn_recording_close(CnRecording* recording) {
    if (recording == NULL) {
        return;
    }
    const CnAllocator allocator = recording->allocator;
    cn_array_free(&recording->names, &allocator);
    cn_array_free(&recording->chunks, &allocator);
    cn_array_free(&recording->times, &allocator);
    cn_array_free(&recording->events, &allocator);
    cn_array_free(&recording->bodies, &allocator);
    cn_array_free(&recording->joints, &allocator);
    cn_array_free(&recording->contacts, &allocator);
    cn_bytes_destroy(&recording->raw);
    cn_frame_block_destroy(&recording->block);
    cn_arena_destroy(&recording->arena);
    cn_release(&allocator, recording);
}

const CnRecordingInfo* cn_recording_info(const CnRecording* recording) {
    return &recording->info;
}

// ---- frames ----

// The last chunk that begins at or before the frame.
static int find_chunk(const CnRecording* recording, int frame) {
    int low = 0, high = recording->chunks.count;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (recording->chunks.data[middle].first <= frame) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static CnStatus load_chunk(CnRecording* recording, int place, CnError* error) {
    if (place == recording->loaded) {
        return CN_OK;
    }
    recording->loaded = -1;
    CnStatus status = cn_chunk_decode(&recording->chunks.data[place].chunk, recording->codecs,
                                      recording->codec_count, &recording->raw, error);
    if (status == CN_OK) {
        status = cn_frame_block_decode(&recording->block, recording->raw.data, recording->raw.size,
                                       error);
    }
    recording->loaded = status == CN_OK ? place : -1;
    return status;
}

static CnVec3 vec3_at(const double* numbers) {
    return cn_vec3(numbers[0], numbers[1], numbers[2]);
}

// Rounding to quanta leaves a quaternion slightly longer or shorter than 1. One of zeros, which
// only a file that was made by hand has, is no rotation.
static CnQuat rotation_at(const double* numbers) {
    CnQuat q = cn_quat(numbers[0], numbers[1], numbers[2], numbers[3]);
    return cn_quat_length(q) > 0.0 ? cn_quat_normalize(q) : cn_quat_identity();
}

static bool take_bodies(CnRecording* recording, int at) {
    const CnFrameBlock* block = &recording->block;
    recording->bodies.count = 0;
    if (!cn_array_reserve(&recording->bodies, &recording->allocator, block->body_count)) {
        return false;
    }
    for (int i = 0; i < block->body_count; ++i) {
        const CnFrameBody* body = &block->bodies.data[at * block->body_count + i];
        recording->bodies.data[recording->bodies.count++] = (CnRecordedMotion){
            .pose = {vec3_at(body->numbers), rotation_at(body->numbers + 3)},
            .velocity = vec3_at(body->numbers + 7),
            .angular_velocity = vec3_at(body->numbers + 10),
            .island = body->island,
            .asleep = (body->flags & CN_FLAG_ASLEEP) != 0,
            .disabled = (body->flags & CN_FLAG_DISABLED) != 0,
        };
    }
    return true;
}

static bool take_joints(CnRecording* recording, int at) {
    const CnFrameBlock* block = &recording->block;
    recording->joints.count = 0;
    if (!cn_array_reserve(&recording->joints, &recording->allocator, block->joint_count)) {
        return false;
    }
    for (int i = 0; i < block->joint_count; ++i) {
        const CnFrameJoint* joint = &block->joints.data[at * block->joint_count + i];
        CnRecordedLoad load = {.broken = (joint->flags & CN_FLAG_BROKEN) != 0,
                               .disabled = (joint->flags & CN_FLAG_DISABLED) != 0};
        memcpy(load.force, joint->numbers, sizeof load.force);
        memcpy(load.torque, joint->numbers + 3, sizeof load.torque);
        recording->joints.data[recording->joints.count++] = load;
    }
    return true;
}

static bool take_contacts(CnRecording* recording, int first, int count) {
    recording->contacts.count = 0;
    if (!cn_array_reserve(&recording->contacts, &recording->allocator, count)) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        const CnContactLoad* from = &recording->block.contacts.data[first + i];
        CnRecordedContact contact = {.body_a = from->bodies[0],
                                     .body_b = from->bodies[1],
                                     .gap = from->numbers[9],
                                     .friction = from->numbers[10],
                                     .residual = from->numbers[11]};
        memcpy(contact.point, from->numbers, sizeof contact.point);
        memcpy(contact.normal, from->numbers + 3, sizeof contact.normal);
        memcpy(contact.force, from->numbers + 6, sizeof contact.force);
        recording->contacts.data[recording->contacts.count++] = contact;
    }
    return true;
}

CnStatus cn_recording_read(CnRecording* recording, int frame, CnRecordedFrame* out,
                           CnError* error) {
    const CnFrameBlock* block = &recording->block;
    if (frame < 0 || frame >= recording->times.count) {
        return cn_error_set(error, CN_INVALID, "there is no frame %d; the recording has %d", frame,
                            recording->times.count);
    }
    int place = find_chunk(recording, frame);
    CnStatus status = load_chunk(recording, place, error);
    if (status != CN_OK) {
        return status;
    }
    int at = frame - recording->chunks.data[place].first;
    const CnFrameHead* head = &block->frames.data[at];
    bool is_last = at + 1 == block->frames.count;
    int first = (int)head->contact_start;
    int count = (is_last ? block->contacts.count : (int)head[1].contact_start) - first;
    if (!take_bodies(recording, at) || !take_joints(recording, at) ||
        !take_contacts(recording, first, count)) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for a frame");
    }
    *out = (CnRecordedFrame){
        .contact_age = block->contact_every > 1 ? at % block->contact_every : 0,
        .time = head->time,
        .step = (int64_t)head->step,
        .hash = head->hash,
        .worst_block = name_of(recording, head->worst_name),
        .scalars = block->scalars.data + at * block->scalar_count,
        .bodies = recording->bodies.data,
        .joints = recording->joints.data,
        .contacts = recording->contacts.data,
        .contact_count = count,
        .body_hashes = is_last ? block->body_hashes.data : NULL,
    };
    memcpy(out->quanta, block->quanta, sizeof out->quanta);
    return CN_OK;
}
