// test_recording.c - recordings: what is written is read, and what is damaged is found.
#include "support/failing_allocator.h"
#include "support/test.h"

#include "cairn/random.h"
#include "cairn/recording.h"
#include "io/recording/bytes.h"
#include "io/recording/chunk.h"

#include <stdio.h>
#include <unistd.h>

// A recording in memory.
typedef struct Tape {
    unsigned char* bytes;
    size_t size;
} Tape;

static bool append(const void* bytes, size_t size, void* context) {
    Tape* tape = context;
    tape->bytes = realloc(tape->bytes, tape->size + size);
    memcpy(tape->bytes + tape->size, bytes, size);
    tape->size += size;
    return true;
}

// Stands in for a compressor: every byte turned round, and one more at the end, so that decoding
// fails unless both sides agree. It is "smaller" only in that it drops trailing zeros.
static size_t turned_bound(size_t size, void* context) {
    (void)context;
    return size;
}

static size_t turned_compress(const void* raw, size_t size, void* stored, size_t capacity,
                              void* context) {
    const unsigned char* from = raw;
    unsigned char* to = stored;
    (void)context;
    (void)capacity;
    while (size > 1 && from[size - 1] == 0) {
        --size;
    }
    for (size_t i = 0; i < size; ++i) {
        to[i] = (unsigned char)~from[i];
    }
    return size;
}

static bool turned_decompress(const void* stored, size_t size, void* raw, size_t raw_size,
                              void* context) {
    const unsigned char* from = stored;
    unsigned char* to = raw;
    (void)context;
    if (size > raw_size) {
        return false;
    }
    memset(to, 0, raw_size);
    for (size_t i = 0; i < size; ++i) {
        to[i] = (unsigned char)~from[i];
    }
    return true;
}

static const CnCodec turned = {7, turned_bound, turned_compress, turned_decompress, NULL};

// A block that falls onto a hull on the ground, and a pendulum with a weld that breaks.
static const char scene_text[] =
    "{\"cairn\": 1, \"name\": \"small\", \"gravity\": [0, 0, -9.81], \"duration\": 0.5,"
    " \"step\": {\"dt\": 0.01},"
    " \"bodies\": ["
    "  {\"name\": \"ground\", \"type\": \"static\", \"shapes\": [{\"type\": \"plane\"}]},"
    "  {\"name\": \"block\", \"position\": [0.1, 0.2, 0.6], \"angular_velocity\": [1, 2, 3],"
    "   \"shapes\": [{\"type\": \"box\", \"size\": [0.4, 0.5, 0.6]}]},"
    "  {\"name\": \"wedge\", \"position\": [2, 0, 0.1], \"shapes\": [{\"type\": \"convex\","
    "   \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}]},"
    "  {\"name\": \"bob\", \"position\": [0, 3, 1], \"shapes\": [{\"type\": \"sphere\","
    "   \"radius\": 0.1}]}],"
    " \"joints\": [{\"name\": \"pin\", \"type\": \"hinge\", \"bodies\": [\"bob\", \"world\"],"
    "   \"point\": [1, 3, 1], \"axis\": [0, 1, 0]}]}";

#define DT 0.01

typedef struct Run {
    CnScene* scene;
    CnWorld* world;
    CnStepReport report;
} Run;

static Run run_open(void) {
    CnError error = {.status = CN_OK};
    Run run = {.scene = cn_scene_parse(scene_text, strlen(scene_text), "small", &error)};
    ck_assert_msg(run.scene != NULL, "%s", error.message);
    run.world = cn_scene_build(run.scene, NULL, &error);
    ck_assert_msg(run.world != NULL, "%s", error.message);
    return run;
}

static void run_close(Run* run) {
    cn_world_destroy(run->world);
    cn_scene_destroy(run->scene);
}

static void must(CnStatus status, const CnError* error) {
    ck_assert_msg(status == CN_OK, "%s", error->message);
}

static CnRecorderDef to_tape(Tape* tape) {
    CnRecorderDef def = cn_recorder_def_default();
    def.output = (CnRecordingOutput){append, tape};
    def.frame_rate = 0.0; // every step
    def.chunk_frames = 4;
    return def;
}

// Steps, each of them recorded.
static Tape record_steps(CnRecorderDef def, Tape* tape, int steps) {
    CnError error = {.status = CN_OK};
    Run run = run_open();
    def.scene = run.scene;
    CnRecorder* recorder = cn_recorder_create(run.world, &def, &error);
    ck_assert_msg(recorder != NULL, "%s", error.message);
    for (int i = 0; i < steps; ++i) {
        must(cn_world_step(run.world, DT, &run.report, &error), &error);
        must(cn_recorder_add(recorder, &run.report, &error), &error);
    }
    must(cn_recorder_close(recorder, &error), &error);
    run_close(&run);
    return *tape;
}

static void crc_of_the_check_string_is_the_published_one(void) {
    // Ross Williams, "A painless guide to CRC error detection algorithms": CRC-32 of "123456789".
    CHECK(cn_crc32(0, "123456789", 9) == 0xCBF43926u);
    CHECK(cn_crc32(cn_crc32(0, "12345", 5), "6789", 4) == 0xCBF43926u);
}

static void a_frame_has_the_poses_of_its_step_to_half_a_quantum(void) {
    Tape tape = {0};
    CnError error = {.status = CN_OK};
    record_steps(to_tape(&tape), &tape, 10);
    CnRecording* recording = cn_recording_open_memory(tape.bytes, tape.size, NULL, 0, &error);
    ck_assert_msg(recording != NULL, "%s", error.message);
    CHECK_INT(cn_recording_info(recording)->frame_count, 11);
    CHECK(cn_recording_info(recording)->is_whole);
    Run run = run_open();
    for (int i = 0; i <= 10; ++i) {
        CnRecordedFrame frame;
        must(cn_recording_read(recording, i, &frame, &error), &error);
        CHECK(frame.time == cn_world_time(run.world));
        CHECK(frame.hash == cn_world_hash(run.world));
        CHECK_INT(frame.step, i);
        for (int b = 0; b < 4; ++b) {
            CnBodyId id = cn_world_body_at(run.world, b);
            CnTransform pose;
            CnBodyState state;
            cn_body_pose(run.world, id, &pose);
            cn_body_state(run.world, id, &state);
            // Half a quantum, and the rounding of the numbers themselves.
            CHECK_NEAR(frame.bodies[b].pose.position.x, pose.position.x, 0.5e-6 + 1e-12);
            CHECK_NEAR(frame.bodies[b].pose.position.z, pose.position.z, 0.5e-6 + 1e-12);
            CHECK_NEAR(frame.bodies[b].velocity.z, state.velocity.z, 0.5e-5 + 1e-12);
            CHECK_NEAR(frame.bodies[b].angular_velocity.y, state.angular_velocity.y,
                       0.5e-5 + 1e-12);
            CnQuat q = frame.bodies[b].pose.rotation;
            double along = q.w * pose.rotation.w + q.x * pose.rotation.x + q.y * pose.rotation.y +
                           q.z * pose.rotation.z;
            // |along| = cos of half the angle between the two, which is below 4 * 0.5e-6 rad:
            // 1 - cos < 1e-11.
            CHECK_NEAR(fabs(along), 1.0, 1e-11);
        }
        int contacts = i == 0 ? 0 : cn_world_contacts(run.world, NULL, 0);
        CHECK_INT(frame.contact_count, contacts);
        CHECK_NEAR(frame.scalars[0] + frame.scalars[1], cn_world_energy(run.world), 1e-9);
        must(cn_world_step(run.world, DT, &run.report, &error), &error);
    }
    run_close(&run);
    cn_recording_close(recording);
    free(tape.bytes);
}

static void head_tells_what_the_world_is_made_of(void) {
    Tape tape = {0};
    CnError error = {.status = CN_OK};
    record_steps(to_tape(&tape), &tape, 1);
    CnRecording* recording = cn_recording_open_memory(tape.bytes, tape.size, NULL, 0, &error);
    ck_assert_msg(recording != NULL, "%s", error.message);
    const CnRecordingInfo* info = cn_recording_info(recording);
    CHECK_STRING(info->scene_name, "small");
    CHECK_INT(info->body_count, 4);
    CHECK_STRING(info->bodies[1].name, "block");
    CHECK_INT(info->bodies[0].type, CN_BODY_STATIC);
    CHECK_NEAR(info->bodies[1].mass, 1000.0 * 0.4 * 0.5 * 0.6, 1e-10); // default density
    CHECK_INT(info->shape_count, 4);
    CHECK_NEAR(info->shapes[1].size.y, 0.5, 0.0);
    CHECK_INT(info->mesh_count, 1);
    CHECK_INT(info->shapes[2].mesh, 0);
    CHECK_INT(info->meshes[0].point_count, 4); // a tetrahedron
    CHECK_INT(info->meshes[0].triangle_count, 4);
    CHECK_INT(info->joint_count, 1);
    CHECK_STRING(info->joints[0].type, "hinge");
    CHECK_INT(info->joints[0].body_a, 3);
    CHECK_INT(info->joints[0].body_b, -1);
    CHECK_NEAR(info->joints[0].point_a.x, 1.0, 1e-15); // from the bob, which is at x = 0
    CHECK_NEAR(fabs(info->joints[0].axis_b.y), 1.0, 1e-15);
    CHECK_STRING(info->scalars[0].name, "energy.kinetic");
    CHECK_CONTAINS(info->scene, "\"wedge\"");
    cn_recording_close(recording);
    free(tape.bytes);
}

static void the_embedded_scene_runs_to_the_same_hash(void) {
    Tape tape = {0};
    CnError error = {.status = CN_OK};
    record_steps(to_tape(&tape), &tape, 20);
    CnRecording* recording = cn_recording_open_memory(tape.bytes, tape.size, NULL, 0, &error);
    const CnRecordingInfo* info = cn_recording_info(recording);
    CnScene* scene = cn_scene_parse(info->scene, info->scene_size, "embedded", &error);
    ck_assert_msg(scene != NULL, "%s", error.message);
    CnWorld* world = cn_scene_build(scene, NULL, &error);
    for (int i = 0; i < 20; ++i) {
        must(cn_world_step(world, DT, NULL, &error), &error);
    }
    CHECK(info->hash != 0 && info->hash == cn_world_hash(world));
    CHECK_INT(info->steps, 20);
    cn_world_destroy(world);
    cn_scene_destroy(scene);
    cn_recording_close(recording);
    free(tape.bytes);
}

static void events_and_forces_are_those_of_the_run(void) {
    Tape tape = {0};
    CnError error = {.status = CN_OK};
    record_steps(to_tape(&tape), &tape, 80);
    CnRecording* recording = cn_recording_open_memory(tape.bytes, tape.size, NULL, 0, &error);
    const CnRecordingInfo* info = cn_recording_info(recording);
    bool begins = false;
    for (int i = 0; i < info->event_count; ++i) {
        const CnRecordedEvent* event = &info->events[i];
        begins = begins || (strcmp(event->kind, "contact_begin") == 0 &&
                            event->body_a + event->body_b == 0 + 1);
    }
    CHECK(begins); // ground and block
    CnRecordedFrame frame;
    must(cn_recording_read(recording, 80, &frame, &error), &error);
    Run run = run_open();
    for (int i = 0; i < 80; ++i) {
        must(cn_world_step(run.world, DT, NULL, &error), &error);
    }
    CnContactPoint points[64];
    CnJointState joint;
    CHECK(cn_world_contacts(run.world, points, 64) == frame.contact_count);
    CHECK(frame.contact_count > 4);
    for (int i = 0; i < frame.contact_count; ++i) {
        const CnRecordedContact* recorded = &frame.contacts[i];
        const CnContactPoint* point = &points[i];
        // Half a quantum, and once more rounded to a float: docs/recording.md, "Contacts".
        double force = cn_vec3_length(point->force);
        CHECK_NEAR((double)recorded->force[2], point->force.z, 0x1p-17 * force);
        CHECK_NEAR((double)recorded->point[0], point->point.x, 0.6e-6);
        CHECK_NEAR((double)recorded->normal[1], point->normal.y, 0.6e-6);
        CHECK_NEAR((double)recorded->gap, point->gap, 0.6e-9);
        CHECK(recorded->friction == (float)point->friction);
        CHECK_NEAR((double)recorded->residual, point->residual,
                   fmax(point->residual / 32.0, 1e-11)); // 5 bits, or below the floor
        CHECK(point->residual <= 1e-8);                  // the tolerance
        CHECK_STRING(cn_body_name(run.world, point->body_b),
                     cn_recording_info(recording)->bodies[recorded->body_b].name);
    }
    cn_joint_read(run.world, cn_world_joint_at(run.world, 0), &joint);
    CHECK_NEAR((double)frame.joints[0].force[2], joint.force.z, fabs(joint.force.z) / 16e6);
    run_close(&run);
    cn_recording_close(recording);
    free(tape.bytes);
}

static void at_sixty_frames_a_second_every_frame_is_the_first_step_that_is_due(void) {
    Tape tape = {0};
    CnError error = {.status = CN_OK};
    CnRecorderDef def = to_tape(&tape);
    def.frame_rate = 60.0;
    record_steps(def, &tape, 100);
    CnRecording* recording = cn_recording_open_memory(tape.bytes, tape.size, NULL, 0, &error);
    const CnRecordingInfo* info = cn_recording_info(recording);
    // 0, 0.02, 0.04, 0.05, ... 1.00: frame k is the first multiple of 10 ms from k/60 s on.
    CHECK_INT(info->frame_count, 61);
    for (int k = 0; k <= 60; ++k) {
        CHECK_NEAR(info->times[k], ceil(100.0 * k / 60.0 - 1e-9) * DT, 1e-12);
    }
    cn_recording_close(recording);
    free(tape.bytes);
}

static void a_codec_is_used_and_asked_for(void) {
    Tape tape = {0};
    CnError error = {.status = CN_OK};
    CnRecorderDef def = to_tape(&tape);
    def.codec = turned;
    record_steps(def, &tape, 6);
    CHECK(cn_recording_open_memory(tape.bytes, tape.size, NULL, 0, &error) == NULL);
    CHECK_INT(error.status, CN_UNSUPPORTED);
    CHECK_CONTAINS(error.message, "codec 7");
    CnRecording* recording = cn_recording_open_memory(tape.bytes, tape.size, &turned, 1, &error);
    ck_assert_msg(recording != NULL, "%s", error.message);
    CHECK_INT(cn_recording_info(recording)->frame_count, 7);
    cn_recording_close(recording);
    free(tape.bytes);
}

static void far_and_fast_bodies_take_a_larger_quantum_that_is_told(void) {
    Tape tape = {0};
    CnError error = {.status = CN_OK};
    Run run = run_open();
    CnRecorderDef def = to_tape(&tape);
    CnBodyId block = cn_world_find_body(run.world, "block");
    CnBodyState state;
    cn_body_state(run.world, block, &state);
    state.center.x = 1e6; // an i32 times 1e-6 m reaches 2147 m
    must(cn_body_set_state(run.world, block, &state, &error), &error);
    CnRecorder* recorder = cn_recorder_create(run.world, &def, &error);
    must(cn_recorder_close(recorder, &error), &error);
    CnRecording* recording = cn_recording_open_memory(tape.bytes, tape.size, NULL, 0, &error);
    CnRecordedFrame frame;
    must(cn_recording_read(recording, 0, &frame, &error), &error);
    CHECK(frame.quanta[0] == 512e-6); // the first power of two that 1e6 / 2147.48 is below
    CHECK_NEAR(frame.bodies[1].pose.position.x, 1e6, 0.5 * frame.quanta[0]);
    CHECK(frame.quanta[2] == 1e-5);
    cn_recording_close(recording);
    run_close(&run);
    free(tape.bytes);
}

static void extra_quantities_are_scalars_too(void) {
    Tape tape = {0};
    CnError error = {.status = CN_OK};
    Run run = run_open();
    CnRecorderDef def = to_tape(&tape);
    def.quantities = cn_quantities_create(run.world, "body.block.velocity.z", &error);
    CnRecorder* recorder = cn_recorder_create(run.world, &def, &error);
    must(cn_world_step(run.world, DT, &run.report, &error), &error);
    must(cn_recorder_add(recorder, &run.report, &error), &error);
    must(cn_recorder_close(recorder, &error), &error);
    CnRecording* recording = cn_recording_open_memory(tape.bytes, tape.size, NULL, 0, &error);
    const CnRecordingInfo* info = cn_recording_info(recording);
    CnRecordedFrame frame;
    must(cn_recording_read(recording, 1, &frame, &error), &error);
    CHECK_STRING(info->scalars[info->scalar_count - 1].name, "body.block.velocity.z");
    CHECK_STRING(info->scalars[info->scalar_count - 1].unit, "m/s");
    CHECK_NEAR(frame.scalars[info->scalar_count - 1], -9.81 * DT, 1e-15);
    cn_recording_close(recording);
    cn_quantities_destroy(def.quantities);
    run_close(&run);
    free(tape.bytes);
}

static void a_world_whose_bodies_change_is_refused_with_a_sentence(void) {
    Tape tape = {0};
    CnError error = {.status = CN_OK};
    Run run = run_open();
    CnRecorderDef def = to_tape(&tape);
    CnRecorder* recorder = cn_recorder_create(run.world, &def, &error);
    cn_world_remove_body(run.world, cn_world_find_body(run.world, "wedge"));
    must(cn_world_step(run.world, DT, &run.report, &error), &error);
    CHECK_INT(cn_recorder_add(recorder, &run.report, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "added or removed");
    CHECK_INT(cn_recorder_close(recorder, &error), CN_INVALID);
    run_close(&run);
    free(tape.bytes);
}

static void wrong_defs_are_refused_by_field(void) {
    Tape tape = {0};
    CnError error = {.status = CN_OK};
    Run run = run_open();
    CnRecorderDef def = to_tape(&tape);
    def.velocity_quantum = 0.0;
    CHECK(cn_recorder_create(run.world, &def, &error) == NULL);
    CHECK_CONTAINS(error.message, "velocity_quantum");
    def = to_tape(&tape);
    def.chunk_frames = 0;
    CHECK(cn_recorder_create(run.world, &def, &error) == NULL);
    CHECK_CONTAINS(error.message, "chunk_frames");
    def = to_tape(&tape);
    def.output.write = NULL;
    CHECK(cn_recorder_create(run.world, &def, &error) == NULL);
    CHECK_CONTAINS(error.message, "neither a path nor an output");
    def.path = "/nowhere/at/all.cairn";
    CHECK(cn_recorder_create(run.world, &def, &error) == NULL);
    CHECK_CONTAINS(error.message, "/nowhere/at/all.cairn: cannot be written");
    run_close(&run);
}

// Opens what there is of a file, and reads all its frames: fewer than all, or a sentence.
static int frames_of(const unsigned char* bytes, size_t size, bool* is_whole) {
    CnError error = {.status = CN_OK};
    CnRecording* recording = cn_recording_open_memory(bytes, size, NULL, 0, &error);
    *is_whole = false;
    if (recording == NULL) {
        CHECK(error.message[0] != '\0');
        return -1;
    }
    const CnRecordingInfo* info = cn_recording_info(recording);
    CnRecordedFrame frame;
    for (int i = 0; i < info->frame_count; ++i) {
        must(cn_recording_read(recording, i, &frame, &error), &error);
    }
    *is_whole = info->is_whole;
    CHECK(info->is_whole == (info->remark[0] == '\0'));
    int count = info->frame_count;
    cn_recording_close(recording);
    return count;
}

static void cut_at_any_byte_it_opens_with_fewer_frames_or_is_refused(void) {
    Tape tape = {0};
    record_steps(to_tape(&tape), &tape, 10);
    int most = -1, opened = 0;
    bool is_whole;
    for (size_t size = 0; size < tape.size; ++size) {
        unsigned char* cut = malloc(size + 1); // so that a sanitizer sees what reads beyond
        memcpy(cut, tape.bytes, size);
        int frames = frames_of(cut, size, &is_whole);
        free(cut);
        CHECK(!is_whole);
        CHECK(frames >= most); // more bytes, no fewer frames
        most = frames > most ? frames : most;
        opened += frames >= 0;
    }
    CHECK_INT(most, 11); // all chunks of frames are there before the last one
    CHECK(opened > 0);
    CHECK_INT(frames_of(tape.bytes, tape.size, &is_whole), 11);
    CHECK(is_whole);
    free(tape.bytes);
}

static void ten_thousand_bits_flipped_are_all_found(void) {
    Tape tape = {0};
    CnRandom random = {20261117};
    record_steps(to_tape(&tape), &tape, 10);
    for (int i = 0; i < 10000; ++i) {
        size_t bit = (size_t)(cn_random_next(&random) % (8 * tape.size));
        bool is_whole;
        tape.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        frames_of(tape.bytes, tape.size, &is_whole);
        ck_assert_msg(!is_whole, "bit %zu", bit);
        tape.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    free(tape.bytes);
}

// Every request for memory refused in turn: a sentence, nothing lost, and the world goes on.
static void without_memory_the_recorder_fails_with_a_sentence(void) {
    FailingAllocator memory = {0};
    CnWorldDef hooks = cn_world_def_default();
    CnError error = {.status = CN_OK};
    Run run = run_open();
    cn_world_destroy(run.world);
    hooks.allocator = failing_allocator(&memory);
    run.world = cn_scene_build(run.scene, &hooks, &error);
    must(cn_world_step(run.world, DT, &run.report, &error), &error);
    int before = memory.live, failures = 0;
    for (int refused = 1;; ++refused) {
        Tape tape = {0};
        CnRecorderDef def = to_tape(&tape);
        def.scene = run.scene;
        memory.requests = 0;
        memory.refuse_at = refused;
        error = (CnError){.status = CN_OK};
        CnRecorder* recorder = cn_recorder_create(run.world, &def, &error);
        CnStatus status = recorder == NULL ? error.status : CN_OK;
        if (status == CN_OK) {
            status = cn_recorder_add(recorder, &run.report, &error);
            CnStatus closed = cn_recorder_close(recorder, status == CN_OK ? &error : NULL);
            status = status == CN_OK ? closed : status;
        }
        free(tape.bytes);
        CHECK_INT(memory.live, before);
        if (memory.requests < refused) { // it took fewer than that
            CHECK_INT(status, CN_OK);
            break;
        }
        CHECK_INT(status, CN_NO_MEMORY);
        CHECK(error.message[0] != '\0');
        ++failures;
    }
    CHECK(failures > 10);
    memory.refuse_at = 0;
    run_close(&run);
}

static void a_file_reads_as_memory_does(void) {
    char path[300];
    CnError error = {.status = CN_OK};
    Run run = run_open();
    CnRecorderDef def = cn_recorder_def_default();
    snprintf(path, sizeof path, "%s/recording_%ld.cairn", TEST_BINARY_DIR, (long)getpid());
    def.path = path;
    CnRecorder* recorder = cn_recorder_create(run.world, &def, &error);
    ck_assert_msg(recorder != NULL, "%s", error.message);
    must(cn_recorder_close(recorder, &error), &error);
    CnRecording* recording = cn_recording_open(path, NULL, 0, &error);
    ck_assert_msg(recording != NULL, "%s", error.message);
    CHECK_INT(cn_recording_info(recording)->frame_count, 1);
    CnRecordedFrame frame;
    CHECK_INT(cn_recording_read(recording, 1, &frame, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "no frame 1");
    cn_recording_close(recording);
    unlink(path);
    CHECK(cn_recording_open(path, NULL, 0, &error) == NULL);
    CHECK_CONTAINS(error.message, path);
    run_close(&run);
}

static void a_copy_has_all_frames_to_half_of_its_precision(void) {
    Tape tape = {0}, small = {0};
    CnError error = {.status = CN_OK};
    CnRecordingPrecision coarse = {1e-3, 1e-3, 1e-2, 1e-2, 1e-3, 1e-3, 1e-6, 0x1p-6, 1e-7, 0};
    CnRecorderDef def = to_tape(&tape);
    def.chunk_frames = 20;
    record_steps(def, &tape, 90);
    CnRecording* whole = cn_recording_open_memory(tape.bytes, tape.size, NULL, 0, &error);
    const CnCodec none = {0};
    must(cn_recording_copy(whole, &coarse, &none, (CnRecordingOutput){append, &small}, &error),
         &error);
    CnRecording* copy = cn_recording_open_memory(small.bytes, small.size, NULL, 0, &error);
    ck_assert_msg(copy != NULL, "%s", error.message);
    const CnRecordingInfo *info = cn_recording_info(whole), *other = cn_recording_info(copy);
    CHECK(other->is_whole); // the index of DONE fits
    CHECK_INT(other->frame_count, info->frame_count);
    CHECK_INT(other->event_count, info->event_count);
    for (int f = 0; f < info->frame_count; ++f) {
        CnRecordedFrame a, b;
        must(cn_recording_read(whole, f, &a, &error), &error);
        must(cn_recording_read(copy, f, &b, &error), &error);
        CHECK(a.hash == b.hash);
        CHECK_INT(a.contact_count, b.contact_count);
        for (int i = 0; i < info->body_count; ++i) {
            CHECK_NEAR(a.bodies[i].pose.position.z, b.bodies[i].pose.position.z, 0.5001e-3);
            CHECK_NEAR(a.bodies[i].velocity.x, b.bodies[i].velocity.x, 0.5001e-2);
        }
        for (int i = 0; i < a.contact_count; ++i) {
            const CnRecordedContact *x = &a.contacts[i], *y = &b.contacts[i];
            CHECK_INT(x->body_a, y->body_a);
            CHECK_NEAR((double)x->point[1], (double)y->point[1], 0.5001e-3);
            CHECK_NEAR((double)x->force[2], (double)y->force[2],
                       0x1p-7 * fabs((double)x->force[2]) + 1e-9);
        }
    }
    cn_recording_close(copy);
    coarse.force = 0.3;
    CHECK_INT(cn_recording_copy(whole, &coarse, &none, (CnRecordingOutput){append, &small}, &error),
              CN_INVALID);
    CHECK_CONTAINS(error.message, "power of two");
    coarse.gap = 0.0;
    CHECK_INT(cn_recording_copy(whole, &coarse, &none, (CnRecordingOutput){append, &small}, &error),
              CN_INVALID);
    CHECK_CONTAINS(error.message, "must be positive");
    cn_recording_close(whole);
    free(small.bytes);
    free(tape.bytes);
}

// Poses of every frame, contacts of one in three: those of the frame they were taken in.
static void a_copy_may_keep_contacts_of_fewer_frames(void) {
    Tape tape = {0}, small = {0};
    CnError error = {.status = CN_OK};
    CnRecordingPrecision coarse = {1e-6, 1e-6, 1e-5, 1e-5, 1e-6, 1e-6, 1e-9, 0x1p-16, 0.0, 3};
    CnRecorderDef def = to_tape(&tape);
    def.chunk_frames = 20;
    record_steps(def, &tape, 90);
    CnRecording* whole = cn_recording_open_memory(tape.bytes, tape.size, NULL, 0, &error);
    const CnCodec none = {0};
    must(cn_recording_copy(whole, &coarse, &none, (CnRecordingOutput){append, &small}, &error),
         &error);
    CHECK(small.size < tape.size);
    CnRecording* copy = cn_recording_open_memory(small.bytes, small.size, NULL, 0, &error);
    ck_assert_msg(copy != NULL, "%s", error.message);
    int touching = 0;
    for (int f = 0; f < cn_recording_info(whole)->frame_count; ++f) {
        CnRecordedFrame a, b, taken;
        must(cn_recording_read(copy, f, &b, &error), &error);
        CHECK_INT(b.contact_age, f % 20 % 3); // chunks of 20 frames, each begins anew
        must(cn_recording_read(whole, f, &a, &error), &error);
        CHECK_INT(a.contact_age, 0);
        CHECK_NEAR(a.bodies[1].pose.position.z, b.bodies[1].pose.position.z, 0.5001e-6);
        must(cn_recording_read(whole, f - b.contact_age, &taken, &error), &error);
        CHECK_INT(taken.contact_count, b.contact_count);
        for (int i = 0; i < taken.contact_count; ++i) {
            CHECK_INT(taken.contacts[i].body_b, b.contacts[i].body_b);
            CHECK_NEAR((double)taken.contacts[i].force[2], (double)b.contacts[i].force[2],
                       0x1p-16 * fabs((double)taken.contacts[i].force[2]) + 1e-9);
        }
        touching += b.contact_count > 0 && b.contact_age > 0;
    }
    CHECK(touching > 10);
    coarse.contact_every = -1;
    CHECK_INT(cn_recording_copy(whole, &coarse, &none, (CnRecordingOutput){append, &small}, &error),
              CN_INVALID);
    CHECK_CONTAINS(error.message, "contact_every is -1");
    cn_recording_close(copy);
    cn_recording_close(whole);
    free(small.bytes);
    free(tape.bytes);
}

// 150 steps in which contacts come and go: what is read is what the world had.
static void contacts_that_come_and_go_are_read_as_they_were(void) {
    Tape tape = {0};
    CnError error = {.status = CN_OK};
    CnRecorderDef def = to_tape(&tape);
    def.chunk_frames = 60;
    record_steps(def, &tape, 150);
    CnRecording* recording = cn_recording_open_memory(tape.bytes, tape.size, NULL, 0, &error);
    ck_assert_msg(recording != NULL, "%s", error.message);
    Run run = run_open();
    CnContactPoint points[64];
    for (int f = 0; f <= 150; ++f) {
        CnRecordedFrame frame;
        must(cn_recording_read(recording, f, &frame, &error), &error);
        int count = f == 0 ? 0 : cn_world_contacts(run.world, points, 64);
        CHECK_INT(frame.contact_count, count);
        double largest = 0.0;
        for (int i = 0; i < count; ++i) {
            largest = fmax(largest, cn_vec3_length(points[i].force));
        }
        for (int i = 0; i < count; ++i) {
            CHECK_NEAR((double)frame.contacts[i].point[0], points[i].point.x, 0.6e-6);
            CHECK_NEAR((double)frame.contacts[i].normal[2], points[i].normal.z, 0.6e-6);
            CHECK_NEAR((double)frame.contacts[i].force[0], points[i].force.x,
                       0x1p-17 * cn_vec3_length(points[i].force) + 0x1p-25 * largest);
            CHECK_STRING(cn_body_name(run.world, points[i].body_a),
                         cn_recording_info(recording)->bodies[frame.contacts[i].body_a].name);
        }
        must(cn_world_step(run.world, DT, NULL, &error), &error);
    }
    run_close(&run);
    cn_recording_close(recording);
    free(tape.bytes);
}

static void a_damaged_size_is_refused_before_memory_is_asked_for(void) {
    const unsigned char stored[8] = {0};
    CnChunk chunk = {.kind = "HEAD", .stored = stored, .stored_size = 8, .raw_size = 1u << 29};
    CnError error = {.status = CN_OK};
    CnBytes out;
    const CnAllocator allocator = {0};
    cn_bytes_init(&out, &allocator);
    CHECK(cn_chunk_decode(&chunk, NULL, 0, &out, &error) == CN_INVALID);
    CHECK(strstr(error.message, "does not give 536870912 bytes") != NULL);
    CHECK(out.capacity == 0);
    cn_bytes_destroy(&out);
}

TEST_MAIN("io/recording", TEST(crc_of_the_check_string_is_the_published_one),
          TEST(a_frame_has_the_poses_of_its_step_to_half_a_quantum),
          TEST(head_tells_what_the_world_is_made_of),
          TEST(the_embedded_scene_runs_to_the_same_hash),
          TEST(events_and_forces_are_those_of_the_run),
          TEST(at_sixty_frames_a_second_every_frame_is_the_first_step_that_is_due),
          TEST(a_codec_is_used_and_asked_for),
          TEST(far_and_fast_bodies_take_a_larger_quantum_that_is_told),
          TEST(extra_quantities_are_scalars_too),
          TEST(a_world_whose_bodies_change_is_refused_with_a_sentence),
          TEST(wrong_defs_are_refused_by_field),
          TEST(cut_at_any_byte_it_opens_with_fewer_frames_or_is_refused),
          TEST(ten_thousand_bits_flipped_are_all_found),
          TEST(a_damaged_size_is_refused_before_memory_is_asked_for),
          TEST(without_memory_the_recorder_fails_with_a_sentence),
          TEST(a_copy_has_all_frames_to_half_of_its_precision),
          TEST(contacts_that_come_and_go_are_read_as_they_were), TEST(a_file_reads_as_memory_does),
          TEST(a_copy_may_keep_contacts_of_fewer_frames))
