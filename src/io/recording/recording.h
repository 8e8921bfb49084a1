// recording.h - a recording that is being read.
#pragma once

#include "base/arena.h"
#include "io/recording/frame_block.h"
#include "io/text/error_list.h"

// A chunk of frames.
typedef struct CnFrameChunk {
    CnChunk chunk;
    int first; // number of its first frame
    int count;
} CnFrameChunk;

struct CnRecording {
    CnAllocator allocator;
    CnArena arena;     // all that lives as long as the recording
    const char* label; // the file in messages
    const unsigned char* bytes;
    size_t size;
    const CnCodec* codecs; // [codec_count]
    int codec_count;
    CnRecordingInfo info;
    const char** kinds; // of events   [kind_count]
    int kind_count;
    CN_ARRAY(const char*) names; // number - 1 -> name
    CN_ARRAY(CnFrameChunk) chunks;
    CN_ARRAY(double) times;
    CN_ARRAY(CnRecordedEvent) events;
    CnBytes raw;
    CnFrameBlock block;                // that of the chunk
    int loaded;                        // place of it in chunks, -1: none
    CN_ARRAY(CnRecordedMotion) bodies; // of the frame that was read last, likewise the others
    CN_ARRAY(CnRecordedLoad) joints;
    CN_ARRAY(CnRecordedContact) contacts;
};

// Fills info from the JSON of HEAD (text[size] is 0) and, with `mesh`, the points of meshes.
// False with a sentence in errors.
bool cn_recording_read_head(CnRecording* recording, char* text, size_t size, CnErrorList* errors);
bool cn_recording_read_meshes(CnRecording* recording, const unsigned char* mesh, size_t size,
                              CnErrorList* errors);
