// recording_copy.c - a recording written again with less exact frames.
#include "io/recording/recording.h"

#include "base/error.h"
#include "io/text/json_write.h"

#include <math.h>
#include <string.h>

typedef struct Copy {
    CnRecording* recording;
    CnFramePrecision precision;
    const CnCodec* codec;
    CnRecordingOutput output;
    CnBytes raw, out; // a chunk before and after it is encoded
    CnJsonWriter index;
    double written; // bytes
    int place;      // among the chunks of frames
} Copy;

static CnStatus fail_memory(CnError* error) {
    return cn_error_set(error, CN_NO_MEMORY, "no memory for a copy of the recording");
}

static CnStatus write_out(Copy* copy, CnError* error) {
    if (copy->out.failed) {
        return fail_memory(error);
    }
    bool ok = copy->output.write(copy->out.data, copy->out.size, copy->output.context);
    copy->written += (double)copy->out.size;
    copy->out.size = 0;
    return ok ? CN_OK : cn_error_set(error, CN_INVALID, "the output of the recording failed");
}

// The entry of DONE for the frames that are written next.
static void add_to_index(Copy* copy) {
    const CnFrameBlock* block = &copy->recording->block;
    int count = block->frames.count;
    cn_write_flat_object(&copy->index, NULL);
    cn_write_text(&copy->index, "kind", "FRMS");
    cn_write_number(&copy->index, "offset", copy->written + (double)copy->out.size);
    cn_write_integer(&copy->index, "frames", count);
    cn_write_number(&copy->index, "first_time", block->frames.data[0].time);
    cn_write_number(&copy->index, "last_time", block->frames.data[count - 1].time);
    cn_write_object_end(&copy->index);
}

static CnStatus copy_frames(Copy* copy, CnError* error) {
    CnRecording* recording = copy->recording;
    CnRecordedFrame frame;
    CnStatus status = cn_recording_read( // unpacks the chunk
        recording, recording->chunks.data[copy->place++].first, &frame, error);
    copy->raw.size = 0;
    if (status == CN_OK) {
        add_to_index(copy);
        status = cn_frame_block_recode(&recording->block, &copy->precision, &copy->raw, error);
    }
    recording->loaded = -1; // its numbers are coarser now
    if (status == CN_OK &&
        !cn_chunk_encode("FRMS", copy->raw.data, copy->raw.size, copy->codec, &copy->out)) {
        status = fail_memory(error);
    }
    return status;
}

// The totals are those of the recording; the index, which comes last, is new.
static CnStatus copy_done(Copy* copy, const CnChunk* chunk, CnError* error) {
    static const char key[] = "\"chunks\"";
    CnRecording* recording = copy->recording;
    recording->loaded = -1;
    CnStatus status =
        cn_chunk_decode(chunk, recording->codecs, recording->codec_count, &recording->raw, error);
    if (status != CN_OK) {
        return status;
    }
    cn_bytes_put(&recording->raw, "", 1);
    const char* text = recording->raw.failed ? "" : (const char*)recording->raw.data;
    const char* at = strstr(text, key);
    if (at == NULL) {
        return cn_error_set(error, CN_INVALID, "the last chunk of the recording has no index");
    }
    cn_write_array_end(&copy->index);
    copy->raw.size = 0;
    cn_bytes_put(&copy->raw, text, (size_t)(at - text) + strlen(key));
    cn_bytes_put(&copy->raw, ": ", 2);
    cn_bytes_put(&copy->raw, copy->index.text, copy->index.length);
    cn_bytes_put(&copy->raw, "}", 1);
    bool ok = !copy->raw.failed && !copy->index.failed &&
              cn_chunk_encode("DONE", copy->raw.data, copy->raw.size, copy->codec, &copy->out);
    return ok ? CN_OK : fail_memory(error);
}

static CnStatus copy_chunk(Copy* copy, const CnChunk* chunk, size_t end, CnError* error) {
    CnRecording* recording = copy->recording;
    CnStatus status = CN_OK;
    if (strcmp(chunk->kind, "FRMS") == 0) {
        if (copy->place < recording->chunks.count &&
            recording->chunks.data[copy->place].chunk.offset == chunk->offset) {
            status = copy_frames(copy, error);
        }
    } else if (strcmp(chunk->kind, "DONE") == 0) {
        status = copy_done(copy, chunk, error);
    } else {
        cn_bytes_put(&copy->out, recording->bytes + chunk->offset, end - chunk->offset);
    }
    return status == CN_OK && copy->out.size > 0 ? write_out(copy, error) : status;
}

static CnStatus check_precision(const CnRecordingPrecision* p, CnError* error) {
    const double quanta[] = {p->position, p->rotation, p->velocity, p->angular_velocity,
                             p->point,    p->normal,   p->gap};
    for (size_t i = 0; i < sizeof quanta / sizeof quanta[0]; ++i) {
        if (!(quanta[i] > 0.0 && isfinite(quanta[i]))) {
            return cn_error_set(error, CN_INVALID,
                                "a precision of the copy is %g; it must be positive", quanta[i]);
        }
    }
    int exponent;
    if (!(p->force > 0.0 && p->force < 1.0 && frexp(p->force, &exponent) == 0.5)) {
        return cn_error_set(error, CN_INVALID,
                            "the precision of forces is %g; it must be a power of two below 1",
                            p->force);
    }
    if (!(p->residual >= 0.0)) {
        return cn_error_set(error, CN_INVALID,
                            "the precision of residuals is %g; it must not be negative",
                            p->residual);
    }
    return p->contact_every >= 0
               ? CN_OK
               : cn_error_set(error, CN_INVALID, "contact_every is %d; it must not be negative",
                              p->contact_every);
}

static CnStatus copy_all(Copy* copy, CnError* error) {
    CnRecording* recording = copy->recording;
    size_t offset = CN_RECORDING_HEADER;
    CnStatus status = CN_OK;
    cn_recording_write_header(&copy->out);
    cn_write_flat_array(&copy->index, NULL);
    while (status == CN_OK) {
        CnChunk chunk;
        char remark[160];
        if (cn_chunk_next(recording->bytes, recording->size, &offset, &chunk, remark,
                          sizeof remark) != CN_CHUNK_WHOLE) {
            break;
        }
        status = copy_chunk(copy, &chunk, offset, error);
    }
    return status;
}

CnStatus cn_recording_copy(CnRecording* recording, const CnRecordingPrecision* precision,
                           const CnCodec* codec, CnRecordingOutput output, CnError* error) {
    const CnRecordingPrecision* p = precision;
    CnStatus status = check_precision(p, error);
    if (status != CN_OK) {
        return status;
    }
    Copy copy = {
        .recording = recording,
        .precision = {.quanta = {p->position, p->rotation, p->velocity, p->angular_velocity},
                      .contacts = {p->point, p->normal, p->gap, p->force, p->residual},
                      .contact_every = p->contact_every},
        .codec = codec,
        .output = output,
    };
    cn_bytes_init(&copy.raw, &recording->allocator);
    cn_bytes_init(&copy.out, &recording->allocator);
    cn_json_writer_init(&copy.index, &recording->allocator);
    status = copy_all(&copy, error);
    cn_json_writer_destroy(&copy.index);
    cn_bytes_destroy(&copy.raw);
    cn_bytes_destroy(&copy.out);
    return status;
}
