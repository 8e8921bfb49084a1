// fuzz_recording.c - any bytes as a recording: refused with a sentence, or all its frames read.
#include "fuzz.h"

#include "cairn/recording.h"
#include "io/recording/chunk.h"

#include <string.h>

// Checksums are put right first: else they would keep the reader from ever seeing bad chunks.
static void repair(uint8_t* bytes, size_t size) {
    size_t at = CN_RECORDING_HEADER;
    while (at < size && size - at >= CN_CHUNK_HEADER) {
        uint64_t stored;
        memcpy(&stored, bytes + at + 8, sizeof stored);
        if (stored > size - at - CN_CHUNK_HEADER) {
            return;
        }
        uint32_t crc = cn_crc32(0, bytes + at, 24);
        crc = cn_crc32(crc, bytes + at + CN_CHUNK_HEADER, (size_t)stored);
        memcpy(bytes + at + 24, &crc, sizeof crc);
        at += CN_CHUNK_HEADER + (size_t)stored + (size_t)((8 - stored % 8) % 8);
    }
}

static void read_all(CnRecording* recording) {
    const CnRecordingInfo* info = cn_recording_info(recording);
    volatile double sum = 0.0; // so that all numbers are looked at
    for (int i = 0; i < info->frame_count; ++i) {
        CnRecordedFrame frame;
        CnError error = {.status = CN_OK};
        if (cn_recording_read(recording, i, &frame, &error) != CN_OK) {
            PROMISE(error.message[0] != 0);
            continue;
        }
        for (int b = 0; b < info->body_count; ++b) {
            sum = sum + frame.bodies[b].pose.rotation.w;
        }
        for (int c = 0; c < frame.contact_count; ++c) {
            PROMISE(frame.contacts[c].body_a >= -1 && frame.contacts[c].body_a < info->body_count);
        }
        PROMISE(frame.worst_block != NULL);
    }
    for (int i = 0; i < info->event_count; ++i) {
        PROMISE(info->events[i].body_b >= -1 && info->events[i].body_b < info->body_count);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    CnError error = {.status = CN_OK};
    uint8_t* bytes = malloc(size + 1);
    PROMISE(bytes != NULL);
    memcpy(bytes, data, size);
    repair(bytes, size);
    CnRecording* recording = cn_recording_open_memory(bytes, size, NULL, 0, &error);
    PROMISE((recording != NULL) == (error.message[0] == 0));
    if (recording != NULL) {
        read_all(recording);
    }
    cn_recording_close(recording);
    free(bytes);
    return 0;
}
