// calls_state.c - copies of the session's world make the same steps as the world itself.
#include "cairn/attribution.h"
#include "cairn/event.h"
#include "cairn/recording.h"
#include "cairn/state.h"
#include "calls.h"
#include "checks.h"

#define STEP 0.01 // [s]

// Both make a step; one of them may fail for want of memory.
static CallResult compare(Session* session, CnWorld* copy) {
    CnError error = {0}, copy_error = {0};
    CnStatus copied = cn_world_step(copy, STEP, NULL, &copy_error);
    CnStatus status = cn_world_step(session->world, STEP, NULL, &error);
    check_refusal(session, status != CN_OK, &error);
    check_refusal(session, copied != CN_OK, &copy_error);
    if (status == CN_OK && copied == CN_OK &&
        cn_world_hash(copy) != cn_world_hash(session->world)) {
        session_find(session, "a copy of the world makes a step of other bits");
    }
    return status == CN_OK ? CALL_DONE : CALL_FAILED;
}

static bool has_broken_joint(const CnWorld* world) {
    CnEvent events[64];
    int count = cn_world_events(world, events, 64);
    bool found = count > 64;
    for (int i = 0; i < count && i < 64; ++i) {
        found = found || events[i].type == CN_EVENT_JOINT_BROKE;
    }
    return found;
}

CallResult call_clone(Session* session) {
    CnError error = {0};
    CnWorld* clone = cn_world_clone(session->world, NULL, &error);
    check_refusal(session, clone == NULL, &error);
    CallResult result = clone == NULL ? CALL_READ : compare(session, clone);
    if (clone != NULL) {
        use_copy(session, clone);
    }
    cn_world_destroy(clone);
    return result;
}

// The clone steps on and goes back to where it was.
CallResult call_save_state(Session* session) {
    CnError error = {0};
    void* bytes = NULL;
    size_t size = 0;
    CnStatus status = cn_world_save_state_memory(session->world, &bytes, &size, &error);
    check_refusal(session, status != CN_OK, &error);
    CnWorld* clone = status == CN_OK ? cn_world_clone(session->world, NULL, &error) : NULL;
    CallResult result = CALL_READ;
    if (clone != NULL) {
        error = (CnError){0};
        bool broken = cn_world_step(clone, STEP, NULL, NULL) == CN_OK && has_broken_joint(clone);
        status = cn_world_load_state_memory(clone, bytes, size, &error);
        check_refusal(session, status != CN_OK, &error);
        if (status == CN_OK) {
            result = compare(session, clone);
        } else if (status == CN_INVALID && !broken) {
            session_find(session, "a state is refused by the world it is of: %s", error.message);
        }
    }
    cn_world_release_state(session->world, bytes);
    cn_world_destroy(clone);
    return result;
}

// ---- recordings ----

typedef struct RecordedBytes {
    unsigned char* data;
    size_t size;
} RecordedBytes;

static bool keep_bytes(const void* bytes, size_t size, void* context) {
    RecordedBytes* kept = context;
    unsigned char* grown = realloc(kept->data, kept->size + size);
    if (grown != NULL) {
        memcpy(grown + kept->size, bytes, size);
        kept->data = grown;
        kept->size += size;
    }
    return grown != NULL;
}

// A coarser copy has as many frames.
static void check_copy(Session* session, CnRecording* recording) {
    RecordedBytes copied = {0};
    CnError error = {0};
    const CnCodec none = {0};
    const CnRecordingPrecision coarse = {1e-3, 1e-3, 1e-2, 1e-2, 1e-3, 1e-3, 1e-6, 0x1p-8, 1e-9, 0};
    CnRecording* copy = NULL;
    if (cn_recording_copy(recording, &coarse, &none, (CnRecordingOutput){keep_bytes, &copied},
                          &error) == CN_OK) {
        copy = cn_recording_open_memory(copied.data, copied.size, NULL, 0, &error);
    }
    if (copy == NULL ||
        cn_recording_info(copy)->frame_count != cn_recording_info(recording)->frame_count) {
        session_find(session, "a recording cannot be copied: %s", error.message);
    }
    cn_recording_close(copy);
    free(copied.data);
}

// What was recorded opens whole, with as many frames as were added.
static void check_recording(Session* session, const RecordedBytes* bytes, int64_t frames) {
    CnError error = {0};
    CnRecordedFrame frame;
    CnRecording* recording = cn_recording_open_memory(bytes->data, bytes->size, NULL, 0, &error);
    if (recording == NULL) {
        session_find(session, "what was recorded is refused: %s", error.message);
        return;
    }
    const CnRecordingInfo* info = cn_recording_info(recording);
    if (!info->is_whole || info->frame_count != frames ||
        cn_recording_read(recording, info->frame_count - 1, &frame, &error) != CN_OK) {
        session_find(session, "%d frames of %lld: %s", info->frame_count, (long long)frames,
                     info->remark);
    }
    check_copy(session, recording);
    cn_recording_close(recording);
    if (cn_recording_open("/nonexistent/recording", NULL, 0, &error) != NULL) {
        session_find(session, "a file that is not there opens");
    }
}

static void check_quantities(Session* session, const CnWorld* world, const CnStepReport* report) {
    CnError error = {0};
    CnQuantities* list = cn_quantities_create(world, "energy.*", &error);
    check_refusal(session, list == NULL, &error);
    double values[32];
    int count = list == NULL ? 0 : cn_quantities_count(list);
    if (count > 0 && count <= 32) {
        error = (CnError){0};
        CnStatus status = cn_quantities_read(list, world, report, values, &error);
        check_refusal(session, status != CN_OK, &error);
        if (cn_quantities_at(list, 0).name == NULL) {
            session_find(session, "a quantity without a name");
        }
    }
    cn_quantities_destroy(list);
}

// Shares by channel, summed; a step without attribution has none.
static void check_attribution(Session* session, const CnWorld* world, const CnStepReport* report) {
    CnChannelShare totals[CN_CHANNEL_COUNT];
    CnAttribution entries[16];
    CnWarmStartRow row = {.residual = 0.1};
    int count = cn_world_attribution(world, entries, 16);
    cn_attribution_sum(entries, count > 16 ? 16 : count, CN_ALL_ISLANDS, totals);
    double factor = cn_warm_start_scaled(&row);
    if (cn_attribution_error(totals, report) < 0.0 || !(factor >= 0.0 && factor <= 1.0)) {
        session_find(session, "an error below zero, or a factor of a warm start beyond 0 to 1");
    }
}

static void record_clone(Session* session, CnWorld* clone) {
    RecordedBytes bytes = {0};
    CnError error = {0};
    CnStepReport report = {0};
    CnRecorderDef def = cn_recorder_def_default();
    def.output = (CnRecordingOutput){keep_bytes, &bytes};
    def.frame_rate = 0.0;
    CnRecorder* recorder = cn_recorder_create(clone, &def, &error);
    if (recorder == NULL) {
        return; // numbers that a recording cannot hold, or no memory
    }
    bool ok = true;
    for (int i = 0; i < 3 && ok; ++i) {
        ok = cn_world_step(clone, STEP, &report, &error) == CN_OK &&
             cn_recorder_add(recorder, &report, &error) == CN_OK &&
             (i != 1 || cn_recorder_flush(recorder, &error) == CN_OK);
    }
    int64_t frames = cn_recorder_frames(recorder);
    bool has_bytes = cn_recorder_bytes(recorder) >= 0;
    if (cn_recorder_close(recorder, &error) == CN_OK && ok && has_bytes) {
        check_recording(session, &bytes, frames);
        check_quantities(session, clone, &report);
        check_attribution(session, clone, &report);
    }
    free(bytes.data);
}

CallResult call_state_file(Session* session) {
    CnError error = {0};
    CnWorld* clone = cn_world_clone(session->world, NULL, &error);
    if (clone != NULL) {
        record_clone(session, clone);
        cn_world_destroy(clone);
    }
    error = (CnError){0};
    char path[300];
    session_path("state", path, sizeof path);
    CnStatus status = cn_world_save_state(session->world, path, &error);
    check_refusal(session, status != CN_OK, &error);
    if (status == CN_OK) {
        uint64_t hash = cn_world_hash(session->world);
        status = cn_world_load_state(session->world, path, &error);
        check_refusal(session, status != CN_OK, &error);
        if (hash != cn_world_hash(session->world)) {
            session_find(session, "loading the state that a world has changes it");
        }
    }
    remove(path);
    return status == CN_OK ? CALL_DONE : CALL_FAILED;
}
