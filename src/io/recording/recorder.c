// recorder.c - writing a recording: a chunk at a time, each in one piece.
#include "io/recording/recorder.h"

#include "base/error.h"
#include "base/guard.h"
#include "base/signals.h"
#include "cairn/state.h"
#include "io/scene/scene_save.h"
#include "io/text/file.h"
#include "world/quantities/quantities.h"
#include "world/world.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Frames are written before they take more memory than this, however few they are [bytes].
#define LARGEST_BLOCK ((size_t)16 << 20)
#define MOST_CHUNK_FRAMES 10000

// How exactly contacts are kept, besides the quanta of the def: docs/recording.md, "Contacts".
#define GAP_QUANTUM 1e-9    // [m]
#define FORCE_SHARE 0x1p-16 // of the largest component of a contact's force
#define RESIDUAL_SHARE 1e-3 // of the tolerance: smaller residuals are kept as 0

CnRecorderDef cn_recorder_def_default(void) {
    return (CnRecorderDef){
        .frame_rate = 60.0,
        .chunk_frames = 60,
        .hash_every = 1,
        .contacts = true,
        .position_quantum = 1e-6,
        .rotation_quantum = 1e-6,
        .velocity_quantum = 1e-5,
        .angular_velocity_quantum = 1e-5,
        .guard = CN_DEF_GUARD,
    };
}

// ---- checks ----

static CnStatus check_quantum(const char* name, double value, CnError* error) {
    if (value > 0.0 && isfinite(value)) {
        return CN_OK;
    }
    return cn_error_set(error, CN_INVALID, "recording: %s is %g; it must be positive", name, value);
}

static CnStatus check_def(const CnRecorderDef* def, CnError* error) {
    if (def->guard != CN_DEF_GUARD) {
        return cn_error_set(error, CN_INVALID, "start from cn_recorder_def_default()");
    }
    if (def->path == NULL && def->output.write == NULL) {
        return cn_error_set(error, CN_INVALID, "recording: neither a path nor an output is given");
    }
    if (!(def->frame_rate >= 0.0 && isfinite(def->frame_rate))) {
        return cn_error_set(error, CN_INVALID,
                            "recording: frame_rate is %g /s; it must not be negative",
                            def->frame_rate);
    }
    if (def->chunk_frames < 1 || def->chunk_frames > MOST_CHUNK_FRAMES) {
        return cn_error_set(error, CN_INVALID,
                            "recording: chunk_frames is %d; it must be from 1 to %d",
                            def->chunk_frames, MOST_CHUNK_FRAMES);
    }
    if (def->hash_every < 0) {
        return cn_error_set(error, CN_INVALID,
                            "recording: hash_every is %d; it must not be negative",
                            def->hash_every);
    }
    if (!isfinite(def->dt) || !isfinite(def->duration)) {
        return cn_error_set(error, CN_INVALID, "recording: dt or duration is not finite");
    }
    const struct {
        const char* name;
        double value;
    } quanta[] = {{"position_quantum", def->position_quantum},
                  {"rotation_quantum", def->rotation_quantum},
                  {"velocity_quantum", def->velocity_quantum},
                  {"angular_velocity_quantum", def->angular_velocity_quantum}};
    CnStatus status = CN_OK;
    for (size_t i = 0; i < sizeof quanta / sizeof quanta[0] && status == CN_OK; ++i) {
        status = check_quantum(quanta[i].name, quanta[i].value, error);
    }
    return status;
}

static bool is_same_world(const CnRecorder* recorder) {
    const CnWorld* world = recorder->world;
    size_t bodies = (size_t)recorder->bodies.count, joints = (size_t)recorder->joints.count;
    return recorder->bodies.count == world->order.count &&
           recorder->joints.count == world->joint_order.count &&
           (bodies == 0 || memcmp(recorder->bodies.data, world->order.data,
                                  bodies * sizeof *recorder->bodies.data) == 0) &&
           (joints == 0 || memcmp(recorder->joints.data, world->joint_order.data,
                                  joints * sizeof *recorder->joints.data) == 0);
}

static CnStatus refuse_change(CnError* error) {
    return cn_error_set(error, CN_INVALID,
                        "bodies or joints were added or removed while the world was recorded; "
                        "start another recording");
}

// ---- chunks ----

static CnStatus fail_memory(CnError* error) {
    return cn_error_set(error, CN_NO_MEMORY, "no memory for a recording");
}

// In one call, and not cut by a signal that ends the program.
static CnStatus write_out(CnRecorder* recorder, CnError* error) {
    const CnBytes* out = &recorder->out;
    CnStatus status = CN_OK;
    if (recorder->file < 0) {
        CnRecordingOutput* output = &recorder->def.output;
        if (!output->write(out->data, out->size, output->context)) {
            status = cn_error_set(error, CN_INVALID, "the output of the recording failed");
        }
    } else {
        sigset_t before;
        cn_signals_block(&before);
        int code = cn_file_put(recorder->file, out->data, out->size);
        cn_signals_restore(&before);
        status = code == 0 ? CN_OK : cn_file_fail_write(recorder->path, code, error);
    }
    recorder->bytes += (int64_t)out->size;
    recorder->out.size = 0;
    return status;
}

static CnStatus put_chunk(CnRecorder* recorder, const char* kind, const void* raw, size_t size,
                          CnError* error) {
    return cn_chunk_encode(kind, raw, size, &recorder->def.codec, &recorder->out)
               ? write_out(recorder, error)
               : fail_memory(error);
}

static CnStatus put_names(CnRecorder* recorder, CnError* error) {
    CnStatus status = CN_OK;
    if (recorder->name_count > recorder->names_written) {
        cn_write_array_end(&recorder->text);
        status = recorder->text.failed ? fail_memory(error)
                                       : put_chunk(recorder, "TEXT", recorder->text.text,
                                                   recorder->text.length, error);
        cn_json_writer_destroy(&recorder->text);
        cn_json_writer_init(&recorder->text, &recorder->allocator);
        recorder->names_written = recorder->name_count;
    }
    return status;
}

static CnStatus put_events(CnRecorder* recorder, CnError* error) {
    CnBytes* raw = &recorder->raw;
    const CnEventRow* rows = recorder->events.data;
    int count = recorder->events.count;
    if (count == 0) {
        return CN_OK;
    }
    raw->size = 0;
    cn_bytes_put_u32(raw, (uint32_t)count);
    cn_bytes_put_u32(raw, 0);
    for (int i = 0; i < count; ++i) {
        cn_bytes_put(raw, &rows[i].time, sizeof rows[i].time);
    }
    for (int i = 0; i < count; ++i) {
        cn_bytes_put(raw, &rows[i].value, sizeof rows[i].value);
    }
    for (int i = 0; i < count; ++i) {
        cn_bytes_put_u32(raw, (uint32_t)rows[i].kind);
    }
    for (int i = 0; i < count; ++i) {
        cn_bytes_put_u32(raw, (uint32_t)rows[i].body_a);
    }
    for (int i = 0; i < count; ++i) {
        cn_bytes_put_u32(raw, (uint32_t)rows[i].body_b);
    }
    for (int i = 0; i < count; ++i) {
        cn_bytes_put_u32(raw, rows[i].name);
    }
    recorder->events.count = 0;
    return raw->failed ? fail_memory(error)
                       : put_chunk(recorder, "EVNT", raw->data, raw->size, error);
}

// The world is now where the last frame of the block is.
static void hash_bodies(CnRecorder* recorder) {
    for (int i = 0; i < recorder->block.body_count; ++i) {
        recorder->block.body_hashes.data[i] =
            (uint32_t)cn_body_hash(recorder->world, recorder->bodies.data[i]);
    }
}

static CnStatus put_frames(CnRecorder* recorder, CnError* error) {
    CnFrameBlock* block = &recorder->block;
    CnChunkPlace place = {recorder->bytes, block->frames.count, block->frames.data[0].time,
                          block->frames.data[block->frames.count - 1].time};
    recorder->raw.size = 0;
    hash_bodies(recorder);
    CnStatus status = cn_frame_block_encode(block, recorder->quanta, &recorder->raw, error);
    if (status == CN_OK && !cn_array_push(&recorder->places, &recorder->allocator, place)) {
        status = fail_memory(error);
    }
    cn_frame_block_clear(block);
    return status == CN_OK
               ? put_chunk(recorder, "FRMS", recorder->raw.data, recorder->raw.size, error)
               : status;
}

// All that was gathered: names first, then what refers to them.
static CnStatus flush(CnRecorder* recorder, CnError* error) {
    CnStatus status = recorder->is_broken ? fail_memory(error) : put_names(recorder, error);
    if (status == CN_OK) {
        status = put_events(recorder, error);
    }
    if (status == CN_OK && recorder->block.frames.count > 0) {
        status = put_frames(recorder, error);
    }
    return status;
}

static CnStatus put_done(CnRecorder* recorder, CnError* error) {
    CnJsonWriter json;
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, cn_world_hash(recorder->world));
    cn_json_writer_init(&json, &recorder->allocator);
    cn_write_object(&json, NULL);
    cn_write_number(&json, "frames", (double)recorder->frames);
    cn_write_number(&json, "steps", (double)recorder->steps);
    cn_write_number(&json, "time", cn_world_time(recorder->world));
    cn_write_text(&json, "hash", hash);
    cn_write_array(&json, "chunks");
    for (int i = 0; i < recorder->places.count; ++i) {
        const CnChunkPlace* place = &recorder->places.data[i];
        cn_write_flat_object(&json, NULL);
        cn_write_text(&json, "kind", "FRMS");
        cn_write_number(&json, "offset", (double)place->offset);
        cn_write_integer(&json, "frames", place->frames);
        cn_write_number(&json, "first_time", place->first_time);
        cn_write_number(&json, "last_time", place->last_time);
        cn_write_object_end(&json);
    }
    cn_write_array_end(&json);
    cn_write_object_end(&json);
    CnStatus status = json.failed ? fail_memory(error)
                                  : put_chunk(recorder, "DONE", json.text, json.length, error);
    cn_json_writer_destroy(&json);
    return status;
}

// ---- the beginning ----

static CnStatus put_scene(CnRecorder* recorder, CnError* error) {
    CnJsonWriter json;
    CnStatus status = cn_scene_write(recorder->def.scene, &json, error);
    if (status == CN_OK && json.failed) {
        status = fail_memory(error);
    }
    if (status == CN_OK) {
        status = put_chunk(recorder, "SCEN", json.text, json.length, error);
    }
    cn_json_writer_destroy(&json);
    return status;
}

static CnStatus put_state(CnRecorder* recorder, CnError* error) {
    void* bytes;
    size_t size;
    CnStatus status = cn_world_save_state_memory(recorder->world, &bytes, &size, error);
    if (status == CN_OK) {
        status = put_chunk(recorder, "STAT", bytes, size, error);
        cn_world_release_state(recorder->world, bytes);
    }
    return status;
}

static CnStatus put_head(CnRecorder* recorder, CnError* error) {
    CnJsonWriter json;
    recorder->raw.size = 0;
    cn_json_writer_init(&json, &recorder->allocator);
    cn_recording_write_header(&recorder->out); // goes out with the first chunk
    CnStatus status =
        cn_recording_describe(recorder->world, &recorder->def, &json, &recorder->raw, error);
    if (status == CN_OK) {
        status = put_chunk(recorder, "HEAD", json.text, json.length, error);
    }
    cn_json_writer_destroy(&json);
    if (status == CN_OK && recorder->raw.size > 0) {
        status = put_chunk(recorder, "MESH", recorder->raw.data, recorder->raw.size, error);
    }
    if (status == CN_OK && recorder->def.scene != NULL) {
        status = put_scene(recorder, error);
    }
    if (status == CN_OK && recorder->def.with_state) {
        status = put_state(recorder, error);
    }
    return status;
}

static CnStatus open_file(CnRecorder* recorder, const char* path, CnError* error) {
    size_t size = path == NULL ? 0 : strlen(path) + 1;
    if (path == NULL) {
        return CN_OK;
    }
    recorder->path = cn_allocate(&recorder->allocator, size, 1);
    if (recorder->path == NULL) {
        return fail_memory(error);
    }
    memcpy(recorder->path, path, size);
    recorder->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return recorder->file >= 0 ? CN_OK : cn_file_fail_write(path, errno, error);
}

static bool take_ids(CnRecorder* recorder) {
    const CnWorld* world = recorder->world;
    const CnAllocator* allocator = &recorder->allocator;
    CnFrameBlock* block = &recorder->block;
    int count = world->order.count;
    size_t places = (size_t)count * (size_t)recorder->def.chunk_frames; // of bodies in a chunk
    places =
        places * sizeof(CnFrameBody) < LARGEST_BLOCK ? places : LARGEST_BLOCK / sizeof(CnFrameBody);
    if (!cn_array_copy(&recorder->bodies, allocator, &world->order) ||
        !cn_array_copy(&recorder->joints, allocator, &world->joint_order) ||
        !cn_array_reserve(&recorder->islands, allocator, count) ||
        !cn_array_reserve(&block->bodies, allocator, (int)places) ||
        !cn_array_reserve(&block->body_hashes, allocator, count)) {
        return false;
    }
    block->body_count = recorder->islands.count = block->body_hashes.count = count;
    block->joint_count = world->joint_order.count;
    for (int i = 0; i < count; ++i) {
        recorder->islands.data[i] = -1;
    }
    return true;
}

static CnStatus begin(CnRecorder* recorder, CnError* error) {
    CnFrameBlock* block = &recorder->block;
    if (!take_ids(recorder)) {
        return fail_memory(error);
    }
    recorder->scalars = cn_quantities_create_world(recorder->world, error);
    if (recorder->scalars == NULL) {
        return CN_NO_MEMORY;
    }
    block->scalar_count = cn_quantities_count(recorder->scalars);
    if (recorder->def.quantities != NULL) {
        block->scalar_count += cn_quantities_count(recorder->def.quantities);
    }
    CnStatus status = open_file(recorder, recorder->def.path, error);
    if (status == CN_OK) {
        status = put_head(recorder, error);
    }
    return status == CN_OK ? cn_recorder_add_frame(recorder, error) : status;
}

static void destroy(CnRecorder* recorder) {
    CnAllocator allocator = recorder->allocator;
    cn_bytes_destroy(&recorder->raw);
    cn_bytes_destroy(&recorder->out);
    cn_frame_block_destroy(&recorder->block);
    cn_array_free(&recorder->events, &allocator);
    cn_array_free(&recorder->places, &allocator);
    cn_array_free(&recorder->points, &allocator);
    cn_array_free(&recorder->latest, &allocator);
    cn_array_free(&recorder->islands, &allocator);
    cn_array_free(&recorder->bodies, &allocator);
    cn_array_free(&recorder->joints, &allocator);
    cn_map_destroy(&recorder->names);
    cn_json_writer_destroy(&recorder->text);
    cn_quantities_destroy(recorder->scalars);
    cn_release(&allocator, recorder->path);
    cn_release(&allocator, recorder);
}

CnRecorder* cn_recorder_create(const CnWorld* world, const CnRecorderDef* def, CnError* error) {
    if (check_def(def, error) != CN_OK) {
        return NULL;
    }
    CnRecorder* recorder = cn_allocate(&world->allocator, 1, sizeof *recorder);
    if (recorder == NULL) {
        fail_memory(error);
        return NULL;
    }
    recorder->world = world;
    recorder->def = *def;
    recorder->allocator = world->allocator;
    recorder->file = -1;
    recorder->due = 1;
    recorder->start_time = cn_world_time(world);
    recorder->report.is_graded = true; // nothing went wrong yet
    const double quanta[CN_QUANTA] = {def->position_quantum, def->rotation_quantum,
                                      def->velocity_quantum, def->angular_velocity_quantum};
    memcpy(recorder->quanta, quanta, sizeof quanta);
    recorder->precision = (CnContactPrecision){
        .point = def->position_quantum,
        .normal = def->rotation_quantum,
        .gap = GAP_QUANTUM,
        .force = FORCE_SHARE,
        .residual_floor = RESIDUAL_SHARE * world->def.solver.tolerance,
    };
    cn_bytes_init(&recorder->raw, &recorder->allocator);
    cn_bytes_init(&recorder->out, &recorder->allocator);
    cn_frame_block_init(&recorder->block, &recorder->allocator);
    cn_map_init(&recorder->names, &recorder->allocator);
    cn_json_writer_init(&recorder->text, &recorder->allocator);
    if (begin(recorder, error) != CN_OK) {
        if (recorder->file >= 0) {
            close(recorder->file);
        }
        destroy(recorder);
        return NULL;
    }
    return recorder;
}

// ---- frames ----

// Times are sums of steps: a frame that is due within a billionth of a frame is due now.
#define DUE_SHARE 1e-9

static bool is_due(CnRecorder* recorder) {
    double rate = recorder->def.frame_rate;
    if (!(rate > 0.0)) {
        return true;
    }
    double frames = (cn_world_time(recorder->world) - recorder->start_time) * rate + DUE_SHARE;
    if (frames < (double)recorder->due) {
        return false;
    }
    recorder->due = (int64_t)floor(frames) + 1;
    return true;
}

CnStatus cn_recorder_add(CnRecorder* recorder, const CnStepReport* report, CnError* error) {
    if (!is_same_world(recorder)) {
        return refuse_change(error);
    }
    recorder->report = *report;
    recorder->steps += 1;
    recorder->is_frame = false;
    CnStatus status = cn_recorder_add_events(recorder, error);
    if (status == CN_OK && is_due(recorder)) {
        status = cn_recorder_add_frame(recorder, error);
        if (status == CN_OK && (recorder->block.frames.count >= recorder->def.chunk_frames ||
                                cn_frame_block_size(&recorder->block) >= LARGEST_BLOCK)) {
            status = flush(recorder, error);
        }
    }
    return status;
}

// Hashes of bodies are those of the last frame: it must be the present.
CnStatus cn_recorder_flush(CnRecorder* recorder, CnError* error) {
    CnStatus status = is_same_world(recorder) ? CN_OK : refuse_change(error);
    if (status == CN_OK && !recorder->is_frame && !recorder->is_broken) {
        status = cn_recorder_add_frame(recorder, error);
    }
    return status == CN_OK ? flush(recorder, error) : status;
}

CnStatus cn_recorder_close(CnRecorder* recorder, CnError* error) {
    if (recorder == NULL) {
        return CN_OK;
    }
    CnStatus status = cn_recorder_flush(recorder, error);
    if (status == CN_OK) {
        status = put_done(recorder, error);
    }
    if (recorder->file >= 0 && close(recorder->file) != 0 && status == CN_OK) {
        status = cn_file_fail_write(recorder->path, errno, error);
    }
    destroy(recorder);
    return status;
}

int64_t cn_recorder_frames(const CnRecorder* recorder) {
    return recorder->frames;
}

int64_t cn_recorder_bytes(const CnRecorder* recorder) {
    return recorder->bytes;
}
