// page_track.c - a recording as a page carries it: a long one is rounded to what can be seen.
#include "serve/page_track.h"

#include "recording/codec.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// What a page keeps, against the radius of what moves: at a thousand pixels for the whole scene
// half a quantum is a hundredth of a pixel. docs/manual/viewer.md states these numbers.
#define POSITION_SHARE 2e-5   // of the radius [m]
#define ROTATION_QUANTUM 1e-4 // of quaternions
#define VELOCITY_QUANTUM 1e-2 // [m/s]
#define SPIN_QUANTUM 2e-2     // [rad/s]
#define POINT_SHARE 2e-4      // of the radius: where arrows begin
#define NORMAL_QUANTUM 2e-3   // a tenth of a degree
#define GAP_SHARE 1e-5        // of the radius
#define RESIDUAL_SHARE 0.1    // of the tolerance: smaller residuals are 0
#define LEAST_RADIUS 1e-3     // [m]

// What is given up, one after the other, until a page is small enough: contacts between frames
// first, whose forces are most of the bytes of a pile, then digits that nobody sees.
typedef struct Coarseness {
    double quanta;     // times those above
    double force;      // share of a contact's largest component
    int contact_every; // frames
} Coarseness;
static const Coarseness levels[] = {
    {1.0, 0x1p-7, 1},  {1.0, 0x1p-6, 3},  {1.0, 0x1p-5, 6},
    {2.0, 0x1p-5, 12}, {4.0, 0x1p-4, 12}, {8.0, 0x1p-4, 30},
};
#define LEVELS ((int)(sizeof levels / sizeof levels[0]))

// The bytes as they come.
typedef struct Kept {
    unsigned char* bytes;
    size_t size, capacity;
} Kept;

static bool keep(const void* bytes, size_t size, void* context) {
    Kept* kept = context;
    if (kept->size + size > kept->capacity) {
        size_t capacity = 2 * kept->capacity + size;
        unsigned char* larger = realloc(kept->bytes, capacity);
        if (larger == NULL) {
            return false;
        }
        kept->bytes = larger;
        kept->capacity = capacity;
    }
    memcpy(kept->bytes + kept->size, bytes, size);
    kept->size += size;
    return true;
}

// Grows the box from low to high by the bodies of a frame that can move.
static void add_frame(const CnRecordingInfo* info, const CnRecordedFrame* frame, double low[3],
                      double high[3]) {
    for (int i = 0; i < info->body_count; ++i) {
        CnVec3 p = frame->bodies[i].pose.position;
        const double place[3] = {p.x, p.y, p.z};
        for (int k = 0; k < 3 && info->bodies[i].type != CN_BODY_STATIC; ++k) {
            low[k] = fmin(low[k], place[k]);
            high[k] = fmax(high[k], place[k]);
        }
    }
}

// Half the diagonal of the box around all that moves, in the first frame, the last and one between.
static bool measure(CnRecording* recording, double* radius, CnError* error) {
    const CnRecordingInfo* info = cn_recording_info(recording);
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    CnRecordedFrame frame;
    for (int i = 0; i < 3 && info->frame_count > 0; ++i) {
        int at = (int)((int64_t)i * (info->frame_count - 1) / 2);
        if (cn_recording_read(recording, at, &frame, error) != CN_OK) {
            return false;
        }
        add_frame(info, &frame, low, high);
    }
    double square = 0.0;
    for (int k = 0; k < 3 && high[k] > low[k]; ++k) {
        square += (high[k] - low[k]) * (high[k] - low[k]);
    }
    *radius = fmax(0.5 * sqrt(square), LEAST_RADIUS);
    return true;
}

static bool copy(CnRecording* recording, double radius, const Coarseness* level, Kept* kept,
                 CnError* error) {
    const CnCodec codec = codec_for_pages();
    double scale = level->quanta;
    const CnRecordingPrecision precision = {
        .position = scale * POSITION_SHARE * radius,
        .rotation = scale * ROTATION_QUANTUM,
        .velocity = scale * VELOCITY_QUANTUM,
        .angular_velocity = scale * SPIN_QUANTUM,
        .point = scale * POINT_SHARE * radius,
        .normal = scale * NORMAL_QUANTUM,
        .gap = scale * GAP_SHARE * radius,
        .force = level->force,
        .residual = RESIDUAL_SHARE * cn_recording_info(recording)->tolerance,
        .contact_every = level->contact_every,
    };
    kept->size = 0;
    return cn_recording_copy(recording, &precision, &codec, (CnRecordingOutput){keep, kept},
                             error) == CN_OK;
}

static bool fail_read(const char* path, CnError* error) {
    error->status = CN_INVALID;
    snprintf(error->message, sizeof error->message, "%s: cannot be read: %s", path,
             strerror(errno));
    return false;
}

// The file as it is.
static bool read_whole(const char* path, FILE* file, Kept* kept, CnError* error) {
    unsigned char block[1 << 14];
    for (size_t size; (size = fread(block, 1, sizeof block, file)) > 0;) {
        if (!keep(block, size, kept)) {
            errno = ENOMEM;
            return fail_read(path, error);
        }
    }
    return ferror(file) == 0 || fail_read(path, error);
}

// As coarse as it takes to get below `most` bytes, if that can be.
static bool read_coarse(const char* path, size_t most, Kept* kept, CnError* error) {
    CnRecording* recording = codec_open_recording(path, error);
    double radius;
    bool ok = recording != NULL && measure(recording, &radius, error);
    for (int i = 0; ok && i < LEVELS && (i == 0 || kept->size > most); ++i) {
        ok = copy(recording, radius, &levels[i], kept, error);
    }
    cn_recording_close(recording);
    return ok;
}

bool page_track_read(const char* path, size_t most, unsigned char** bytes, size_t* size,
                     CnError* error) {
    Kept kept = {0};
    FILE* file = fopen(path, "rb");
    struct stat there;
    bool ok = file != NULL && fstat(fileno(file), &there) == 0;
    if (!ok) {
        fail_read(path, error);
    } else {
        ok = there.st_size <= (off_t)most ? read_whole(path, file, &kept, error)
                                          : read_coarse(path, most, &kept, error);
    }
    if (file != NULL) {
        fclose(file);
    }
    if (!ok) {
        free(kept.bytes);
        kept = (Kept){0};
    }
    *bytes = kept.bytes;
    *size = kept.size;
    return ok;
}
