// recording.h - a run in a file, frame by frame: poses, forces, and how far they can be trusted.
//
//     CnRecorderDef def = cn_recorder_def_default();
//     def.path = "run.cairn";
//     def.scene = scene; // so that the run can be repeated
//     CnRecorder* recorder = cn_recorder_create(world, &def, &error);
//     while (cn_world_time(world) < 4.0) {
//         cn_world_step(world, dt, &report, &error);
//         cn_recorder_add(recorder, &report, &error);
//     }
//     cn_recorder_close(recorder, &error);
//
//     CnRecording* recording = cn_recording_open("run.cairn", NULL, 0, &error);
//     cn_recording_read(recording, 12, &frame, &error);
//     cn_recording_close(recording);
//
// docs/recording.md has the layout of the file. Poses and velocities are kept to the quanta of the
// def, half of which is the error; the hashes tell whether another run has the same bits.
#pragma once

#include "cairn/event.h"
#include "cairn/quantity.h"
#include "cairn/scene.h"

// How chunks are compressed. The library brings none: the program gives it zstd.
typedef struct CnCodec {
    uint32_t number; // as the file has it: 1 zstd, 2 zlib; 0: none, and the functions are NULL
    // The most bytes that compress() may need for so many.
    size_t (*bound)(size_t size, void* context);
    // Returns how many bytes it wrote, 0: it failed.
    size_t (*compress)(const void* raw, size_t size, void* stored, size_t capacity, void* context);
    // False unless the stored bytes give exactly raw_size bytes.
    bool (*decompress)(const void* stored, size_t size, void* raw, size_t raw_size, void* context);
    void* context;
} CnCodec;

// Where the bytes go when it is not a file: each call has a whole chunk. False: they are lost, and
// so is the recording.
typedef struct CnRecordingOutput {
    bool (*write)(const void* bytes, size_t size, void* context);
    void* context;
} CnRecordingOutput;

// ---- writing ----

typedef struct CnRecorder CnRecorder;

// Start from cn_recorder_def_default().
typedef struct CnRecorderDef {
    const char* path;         // file, overwritten; NULL: the output
    CnRecordingOutput output; // used when path is NULL
    CnCodec codec;            // default none
    const CnScene* scene;     // embedded, so that the run can be repeated; NULL: none
    bool with_state; // the world's state is embedded too: for runs that do not start from the scene
    double frame_rate;       // [1/s], default 60; 0: every step is a frame
    int chunk_frames;        // frames that are written at once, 1 to 10000, default 60
    int hash_every;          // frames from one hash of the world to the next, default 1; 0: none
    bool contacts;           // contact points are kept, default true
    double position_quantum; // [m], > 0, default 1e-6
    double rotation_quantum; // of quaternions [-], > 0, default 1e-6
    double velocity_quantum; // [m/s], > 0, default 1e-5
    double angular_velocity_quantum; // [rad/s], > 0, default 1e-5
    double dt;                       // usual length of a step [s]; only told
    double duration;                 // that the run will have [s], 0: not known; only told
    CnQuantities* quantities; // kept as scalars too; NULL: none. It must outlive the recorder
    uint32_t guard;
} CnRecorderDef;

CN_API CnRecorderDef cn_recorder_def_default(void);

// Writes what the world is made of; its present state is the first frame. The world must outlive
// the recorder. NULL on failure: the def is wrong, the file cannot be written, no memory.
CN_API CnRecorder* cn_recorder_create(const CnWorld* world, const CnRecorderDef* def,
                                      CnError* error);

// To be called after every step with its report: keeps its events and, when the next frame is due,
// a frame. CN_INVALID when bodies or joints were added or removed since, or the file cannot be
// written: close it then.
CN_API CnStatus cn_recorder_add(CnRecorder* recorder, const CnStepReport* report, CnError* error);

// Writes what was gathered so far, so that readers see it; the next frame starts a new chunk.
CN_API CnStatus cn_recorder_flush(CnRecorder* recorder, CnError* error);

// The last step becomes a frame, then the recorder is gone, also when this fails. NULL is fine.
CN_API CnStatus cn_recorder_close(CnRecorder* recorder, CnError* error);

// Frames so far, and bytes written.
CN_API int64_t cn_recorder_frames(const CnRecorder* recorder);
CN_API int64_t cn_recorder_bytes(const CnRecorder* recorder);

// ---- reading ----

typedef struct CnRecording CnRecording;

// What was recorded. Bodies, shapes, joints, meshes by their numbers in the file; -1: none, or the
// immovable world. Pointers are the recording's.
typedef struct CnRecordedBody {
    const char* name; // "" when it has none
    CnBodyType type;
    double mass;       // [kg], 0 unless dynamic
    CnVec3 center;     // of mass, in body axes [m]
    const int* shapes; // [shape_count]
    int shape_count;
} CnRecordedBody;

typedef struct CnRecordedShape {
    CnShapeType type;
    int body;
    CnTransform pose;      // in the body's frame
    double radius, length; // [m], 0 where the type has none
    CnVec3 size;           // box [m]
    CnVec3 normal;         // plane
    int mesh;              // of convex, mesh, height_field
    int material;
    bool sensor;
} CnRecordedShape;

typedef struct CnRecordedMesh {
    const float (*points)[3];       // shape axes [m]   [point_count]
    const uint32_t (*triangles)[3]; // counter-clockwise seen from outside   [triangle_count]
    int point_count, triangle_count;
} CnRecordedMesh;

typedef struct CnRecordedJoint {
    const char* name;
    const char* type; // "hinge", ...
    int body_a, body_b;
    CnVec3 point_a, axis_a, point_b, axis_b; // in the frames of the bodies
    double length;                           // [m], 0 where the type has none
} CnRecordedJoint;

typedef struct CnRecordedEvent {
    double time;      // [s]
    const char* kind; // "contact_hit", ..., "not_converged"
    int body_a, body_b;
    double value;     // docs/recording.md
    const char* name; // "" when there is none
} CnRecordedEvent;

typedef struct CnRecordingInfo {
    const char* head; // all of HEAD, as JSON
    size_t head_size;
    const char* scene; // NULL: none
    size_t scene_size;
    const void* state; // that the run started from; NULL: that of the scene
    size_t state_size;
    const char* scene_name;
    double tolerance;                // of the solver [m/s]
    double dt, duration, frame_rate; // as the def of the recorder had them
    const CnRecordedBody* bodies;
    const CnRecordedShape* shapes;
    const CnRecordedMesh* meshes;
    const CnRecordedJoint* joints;
    const CnQuantityInfo* scalars;
    const CnRecordedEvent* events;
    int body_count, shape_count, mesh_count, joint_count, scalar_count, event_count;
    int frame_count;
    const double* times; // of the frames [s]   [frame_count]
    bool is_whole;       // false: the run was cut off, or the file is damaged
    char remark[200];    // why it is not whole; "" when it is
    uint64_t hash;       // of the world at the end; 0 unless it is whole
    int64_t steps;       // of the run; 0 unless it is whole
} CnRecordingInfo;

typedef struct CnRecordedContact {
    int body_a, body_b;
    float point[3];  // world [m]
    float normal[3]; // from A to B
    float force[3];  // on B, world axes [N]
    float gap;       // [m]
    float friction;
    float residual; // [m/s]
} CnRecordedContact;

typedef struct CnRecordedLoad {
    float force[3];  // on its first body, world axes [N]
    float torque[3]; // [N m]
    bool broken, disabled;
} CnRecordedLoad;

typedef struct CnRecordedMotion {
    CnTransform pose;                  // of the body's frame; rotation of unit length
    CnVec3 velocity, angular_velocity; // of the centre of mass; world axes
    int island;
    bool asleep, disabled;
} CnRecordedMotion;

// Pointers are the recording's, until the next cn_recording_read().
typedef struct CnRecordedFrame {
    double time; // [s]
    int64_t step;
    uint64_t hash;                     // 0: none
    const char* worst_block;           // name; "" when there is none
    const double* scalars;             // [scalar_count]
    const CnRecordedMotion* bodies;    // [body_count]
    const CnRecordedLoad* joints;      // [joint_count]
    const CnRecordedContact* contacts; // [contact_count]
    int contact_count;
    int contact_age;  // frames since the contacts were taken: 0 but in copies that keep fewer
    double quanta[4]; // of position, rotation, velocity, angular velocity; half is the error
    const uint32_t* body_hashes; // last frame of its chunk: of each state; else NULL   [body_count]
} CnRecordedFrame;

// Of a file, or of bytes that must outlive the recording. codecs [codec_count]: those that are at
// hand. A file that was cut off or damaged opens with the frames before that (is_whole, remark).
// NULL with a sentence: it is no recording, of another version, its HEAD is not whole, or a codec
// is missing.
CN_API CnRecording* cn_recording_open(const char* path, const CnCodec* codecs, int codec_count,
                                      CnError* error);
CN_API CnRecording* cn_recording_open_memory(const void* bytes, size_t size, const CnCodec* codecs,
                                             int codec_count, CnError* error);
CN_API void cn_recording_close(CnRecording* recording); // NULL is fine

CN_API const CnRecordingInfo* cn_recording_info(const CnRecording* recording);

// CN_INVALID when there is no such frame.
CN_API CnStatus cn_recording_read(CnRecording* recording, int frame, CnRecordedFrame* out,
                                  CnError* error);

// How exactly a copy keeps frames; half of each is the error. Where the recording was coarser it
// stays so.
typedef struct CnRecordingPrecision {
    double position;         // of bodies [m], > 0
    double rotation;         // of quaternions [-], > 0
    double velocity;         // [m/s], > 0
    double angular_velocity; // [rad/s], > 0
    double point;            // of contacts [m], > 0
    double normal;           // of contacts [-], > 0
    double gap;              // of contacts [m], > 0
    double force;            // share of a contact's largest component, a power of two below 1
    double residual;         // of contacts: smaller ones become 0 [m/s], >= 0
    int contact_every;       // contacts are those of every so many frames of a chunk; 0, 1: of all
} CnRecordingPrecision;

// Writes the recording again, coarser and so smaller: each call of the output has a whole chunk.
// What was cut off or damaged stays away. CN_INVALID: a number of precision is wrong, the output
// fails, or frames cannot be read; CN_NO_MEMORY.
CN_API CnStatus cn_recording_copy(CnRecording* recording, const CnRecordingPrecision* precision,
                                  const CnCodec* codec, CnRecordingOutput output, CnError* error);
