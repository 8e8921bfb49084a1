// recording_head.h - what a world is made of, as the first chunks of a recording say it.
#pragma once

#include "io/recording/frame_block.h"
#include "io/text/json_write.h"

// Kinds of events in a recording: those of CnEventType, then those of steps that missed something.
enum {
    CN_RECORDED_NOT_CONVERGED = CN_EVENT_TYPE_COUNT,
    CN_RECORDED_POSITIONS_MISSED,
    CN_RECORDED_OUT_OF_BUDGET,
    CN_RECORDED_KIND_COUNT
};
const char* cn_recorded_kind_name(int kind);

// The text of HEAD and the bytes of MESH. CN_NO_MEMORY at worst.
CnStatus cn_recording_describe(const CnWorld* world, const CnRecorderDef* def, CnJsonWriter* head,
                               CnBytes* mesh, CnError* error);
