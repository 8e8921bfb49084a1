// recorder.h - a recording that is being written.
#pragma once

#include "base/hash.h"
#include "io/recording/recording_head.h"

// An event as EVNT has it.
typedef struct CnEventRow {
    double time, value;
    int32_t kind, body_a, body_b;
    uint32_t name;
} CnEventRow;

// A chunk of frames, for the index in DONE.
typedef struct CnChunkPlace {
    int64_t offset;
    int frames;
    double first_time, last_time; // [s]
} CnChunkPlace;

struct CnRecorder {
    const CnWorld* world;
    CnRecorderDef def;
    CnAllocator allocator;
    char* path; // owned; NULL: the output
    int file;   // descriptor, -1: the output
    double quanta[CN_QUANTA];
    CnContactPrecision precision;
    CnBytes raw, out; // a chunk before and after it is encoded
    CnFrameBlock block;
    CN_ARRAY(CnEventRow) events;
    CN_ARRAY(CnChunkPlace) places;
    CnMap names;       // hash of a name -> its number - 1
    CnJsonWriter text; // names that are not yet written
    int name_count, names_written;
    bool is_broken;                  // a frame is there in part: nothing can be written any more
    bool lost_name;                  // no memory for one
    CN_ARRAY(CnContactPoint) points; // scratch
    CN_ARRAY(CnEvent) latest;        // scratch
    CnIntArray islands;              // of bodies, as the last frame had them
    CN_ARRAY(CnBodyId) bodies;       // as they were at the start
    CN_ARRAY(CnJointId) joints;      // likewise
    CnQuantities* scalars;           // those that every recording has
    CnStepReport report;             // of the last step
    int64_t frames, bytes, steps;
    double start_time; // [s]
    int64_t due;       // number of the frame that comes next, at start_time + due / frame_rate
    bool is_frame;     // the last step is one
};

// Adds the present state to the block.
CnStatus cn_recorder_add_frame(CnRecorder* recorder, CnError* error);

// The events of the last step and what it missed, to be written with the next frames.
CnStatus cn_recorder_add_events(CnRecorder* recorder, CnError* error);

// Number of a name, from 1; 0: it is empty, or no memory (lost_name).
uint32_t cn_recorder_name(CnRecorder* recorder, const char* name);
