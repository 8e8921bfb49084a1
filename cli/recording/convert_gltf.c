// convert_gltf.c - a recording as a glTF 2.0 animation in one binary file.
//
// A node per body, a mesh per kind of body, one animation with translation and rotation of every
// body that moves. glTF has y up: a root node turns the world. Khronos, glTF 2.0 specification.
#include "recording/convert.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GLB_MAGIC 0x46546C67u // "glTF"
#define GLB_JSON 0x4E4F534Au
#define GLB_BINARY 0x004E4942u
#define FLOAT 5126u
#define UNSIGNED_INT 5125u

// Colour-blind safe (Okabe and Ito), muted; the first is for bodies that do not move.
static const double colors[][3] = {{0.60, 0.60, 0.60}, {0.35, 0.62, 0.80}, {0.84, 0.60, 0.24},
                                   {0.24, 0.60, 0.48}, {0.80, 0.52, 0.66}, {0.80, 0.44, 0.28},
                                   {0.28, 0.44, 0.66}};
#define COLOR_COUNT ((int)(sizeof colors / sizeof colors[0]))

typedef struct Gltf {
    const Conversion* conversion;
    BodyMeshes meshes;
    Buffer binary;           // of all numbers
    Buffer views, accessors; // JSON: lists
    int accessor_count;      // each has a view of its own
    int* first_accessor;     // of each mesh: points, then triangles   [meshes.count]
    int* mesh_numbers;       // in the file, of a mesh in a color; -1: not used
                             // [meshes.count][COLOR_COUNT]
    int* poses;              // of bodies that move: translation, then rotation; -1: none
} Gltf;

// ---- numbers ----

// The bytes become a view, with an accessor on it; returns its number.
static int add_accessor(Gltf* gltf, const void* data, size_t size, unsigned type, const char* shape,
                        int count) {
    const char* comma = gltf->accessor_count > 0 ? "," : "";
    buffer_say(&gltf->views, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", comma,
               gltf->binary.size, size);
    buffer_say(&gltf->accessors,
               "%s{\"bufferView\":%d,\"componentType\":%u,\"count\":%d,\"type\":\"%s\"", comma,
               gltf->accessor_count, type, count, shape);
    buffer_put(&gltf->binary, data, size); // all are of 4 bytes, so all are aligned
    return gltf->accessor_count++;
}

static void say_bounds(Gltf* gltf, const float* least, const float* most, int count) {
    const float* bounds[2] = {least, most};
    const char* names[2] = {"min", "max"};
    for (int side = 0; side < 2; ++side) {
        buffer_say(&gltf->accessors, ",\"%s\":[", names[side]);
        for (int k = 0; k < count; ++k) {
            buffer_say(&gltf->accessors, "%s%.9g", k > 0 ? "," : "", (double)bounds[side][k]);
        }
        buffer_say(&gltf->accessors, "]");
    }
}

static void end_accessor(Gltf* gltf) {
    buffer_say(&gltf->accessors, "}");
}

static void add_mesh(Gltf* gltf, int number) {
    const BodyMesh* mesh = &gltf->meshes.meshes[number];
    float least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < mesh->point_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            least[k] = fminf(least[k], mesh->points[i][k]);
            most[k] = fmaxf(most[k], mesh->points[i][k]);
        }
    }
    gltf->first_accessor[number] =
        add_accessor(gltf, mesh->points, (size_t)mesh->point_count * sizeof *mesh->points, FLOAT,
                     "VEC3", mesh->point_count);
    say_bounds(gltf, least, most, 3);
    end_accessor(gltf);
    add_accessor(gltf, mesh->triangles, (size_t)mesh->triangle_count * sizeof *mesh->triangles,
                 UNSIGNED_INT, "SCALAR", 3 * mesh->triangle_count);
    end_accessor(gltf);
}

// Poses of all bodies in all frames.
typedef struct Track {
    float (*position)[3]; // [body][frame]
    float (*rotation)[4]; // x y z w, as glTF has them; continuous in time
} Track;

static bool read_track(Gltf* gltf, Track* track, float* times, CnError* error) {
    const CnRecordingInfo* info = gltf->conversion->info;
    for (int f = 0; f < info->frame_count; ++f) {
        CnRecordedFrame frame;
        if (cn_recording_read(gltf->conversion->recording, f, &frame, error) != CN_OK) {
            return false;
        }
        times[f] = (float)(frame.time - info->times[0]); // an animation starts at 0
        for (int b = 0; b < info->body_count; ++b) {
            size_t at = (size_t)b * (size_t)info->frame_count + (size_t)f;
            CnTransform pose = frame.bodies[b].pose;
            const double position[3] = {pose.position.x, pose.position.y, pose.position.z};
            const double rotation[4] = {pose.rotation.x, pose.rotation.y, pose.rotation.z,
                                        pose.rotation.w};
            double along = 0.0;
            for (int k = 0; k < 4 && f > 0; ++k) {
                along += rotation[k] * (double)track->rotation[at - 1][k];
            }
            for (int k = 0; k < 4; ++k) {
                track->rotation[at][k] = (float)(along < 0.0 ? -rotation[k] : rotation[k]);
            }
            for (int k = 0; k < 3; ++k) {
                track->position[at][k] = (float)position[k];
            }
        }
    }
    return true;
}

// Frames closer than a float can tell would not ascend: the later one counts.
static int ascending(const float* times, int count, int* chosen) {
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        if (kept > 0 && !(times[i] > times[chosen[kept - 1]])) {
            chosen[kept - 1] = i;
        } else {
            chosen[kept++] = i;
        }
    }
    return kept;
}

static bool moves(const float* numbers, int width, int frames) {
    bool found = false;
    for (int f = 1; f < frames && !found; ++f) {
        found = memcmp(numbers, numbers + (size_t)f * (size_t)width,
                       (size_t)width * sizeof(float)) != 0;
    }
    return found;
}

// One accessor of the chosen frames of a body.
static int add_samples(Gltf* gltf, const float* numbers, int width, const int* chosen, int kept) {
    Buffer samples = {0};
    for (int i = 0; i < kept; ++i) {
        buffer_put(&samples, numbers + (size_t)chosen[i] * (size_t)width,
                   (size_t)width * sizeof(float));
    }
    int number =
        add_accessor(gltf, samples.data, samples.size, FLOAT, width == 3 ? "VEC3" : "VEC4", kept);
    end_accessor(gltf);
    gltf->binary.failed = gltf->binary.failed || samples.failed;
    buffer_free(&samples);
    return number;
}

static void add_track(Gltf* gltf, const Track* track, const int* chosen, int kept) {
    const CnRecordingInfo* info = gltf->conversion->info;
    for (int b = 0; b < info->body_count; ++b) {
        size_t first = (size_t)b * (size_t)info->frame_count;
        gltf->poses[2 * b] = gltf->poses[2 * b + 1] = -1;
        if (moves(track->position[first], 3, info->frame_count)) {
            gltf->poses[2 * b] = add_samples(gltf, track->position[first], 3, chosen, kept);
        }
        if (moves(track->rotation[first], 4, info->frame_count)) {
            gltf->poses[2 * b + 1] = add_samples(gltf, track->rotation[first], 4, chosen, kept);
        }
    }
}

static int add_times(Gltf* gltf, const float* times, const int* chosen, int kept) {
    Buffer samples = {0};
    for (int i = 0; i < kept; ++i) {
        buffer_put(&samples, &times[chosen[i]], sizeof(float));
    }
    int number = add_accessor(gltf, samples.data, samples.size, FLOAT, "SCALAR", kept);
    say_bounds(gltf, &times[chosen[0]], &times[chosen[kept - 1]], 1);
    end_accessor(gltf);
    gltf->binary.failed = gltf->binary.failed || samples.failed;
    buffer_free(&samples);
    return number;
}

// ---- JSON ----

static void say_text(Buffer* json, const char* text) {
    buffer_say(json, "\"");
    for (; *text != '\0'; ++text) {
        if (*text == '"' || *text == '\\') {
            buffer_say(json, "\\");
        }
        if ((unsigned char)*text < 0x20) {
            buffer_say(json, "\\u%04x", (unsigned)*text);
        } else {
            buffer_put(json, text, 1);
        }
    }
    buffer_say(json, "\"");
}

static void say_floats(Buffer* json, const char* key, const float* numbers, int count) {
    buffer_say(json, ",\"%s\":[", key);
    for (int k = 0; k < count; ++k) {
        buffer_say(json, "%s%.9g", k > 0 ? "," : "", (double)numbers[k]);
    }
    buffer_say(json, "]");
}

// A glTF mesh for each mesh and colour that is used: still bodies are grey, the others by turns.
static int color_of(const CnRecordingInfo* info, int body) {
    return info->bodies[body].type == CN_BODY_STATIC ? 0 : 1 + body % (COLOR_COUNT - 1);
}

static void number_meshes(Gltf* gltf) {
    const CnRecordingInfo* info = gltf->conversion->info;
    int count = 0, all = gltf->meshes.count * COLOR_COUNT;
    for (int i = 0; i < all; ++i) {
        gltf->mesh_numbers[i] = -1;
    }
    for (int b = 0; b < info->body_count; ++b) {
        if (gltf->meshes.of_body[b] >= 0) {
            gltf->mesh_numbers[gltf->meshes.of_body[b] * COLOR_COUNT + color_of(info, b)] = 0;
        }
    }
    for (int i = 0; i < all; ++i) {
        gltf->mesh_numbers[i] = gltf->mesh_numbers[i] < 0 ? -1 : count++;
    }
}

static void say_nodes(Gltf* gltf, const Track* track, Buffer* json) {
    const CnRecordingInfo* info = gltf->conversion->info;
    buffer_say(json, ",\"nodes\":[{\"name\":\"world\",\"rotation\":[-0.707106781,0,0,0.707106781]");
    buffer_say(json, "%s", info->body_count > 0 ? ",\"children\":[" : "");
    for (int b = 0; b < info->body_count; ++b) {
        buffer_say(json, "%s%d", b > 0 ? "," : "", b + 1);
    }
    buffer_say(json, "%s}", info->body_count > 0 ? "]" : "");
    for (int b = 0; b < info->body_count; ++b) {
        size_t at = (size_t)b * (size_t)info->frame_count;
        char label[256];
        convert_body_label(info, b, label, sizeof label);
        buffer_say(json, ",{\"name\":");
        say_text(json, label);
        say_floats(json, "translation", track->position[at], 3);
        say_floats(json, "rotation", track->rotation[at], 4);
        if (gltf->meshes.of_body[b] >= 0) {
            buffer_say(
                json, ",\"mesh\":%d",
                gltf->mesh_numbers[gltf->meshes.of_body[b] * COLOR_COUNT + color_of(info, b)]);
        }
        buffer_say(json, "}");
    }
    buffer_say(json, "]");
}

static void say_meshes(const Gltf* gltf, Buffer* json) {
    bool is_first = true;
    buffer_say(json, ",\"materials\":[");
    for (int i = 0; i < COLOR_COUNT; ++i) {
        buffer_say(json,
                   "%s{\"pbrMetallicRoughness\":{\"baseColorFactor\":[%g,%g,%g,1],"
                   "\"metallicFactor\":0,\"roughnessFactor\":0.9}}",
                   i > 0 ? "," : "", colors[i][0], colors[i][1], colors[i][2]);
    }
    buffer_say(json, "]");
    for (int i = 0; i < gltf->meshes.count * COLOR_COUNT; ++i) {
        int first = gltf->first_accessor[i / COLOR_COUNT];
        if (gltf->mesh_numbers[i] >= 0) {
            buffer_say(json,
                       "%s{\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"indices\":%d,"
                       "\"material\":%d}]}",
                       is_first ? ",\"meshes\":[" : ",", first, first + 1, i % COLOR_COUNT);
            is_first = false;
        }
    }
    buffer_say(json, "%s", is_first ? "" : "]");
}

static void say_animation(const Gltf* gltf, int times, Buffer* json) {
    const CnRecordingInfo* info = gltf->conversion->info;
    Buffer channels = {0};
    int count = 0;
    for (int i = 0; i < 2 * info->body_count; ++i) {
        if (gltf->poses[i] < 0) {
            continue;
        }
        buffer_say(json, "%s{\"input\":%d,\"output\":%d}",
                   count == 0 ? ",\"animations\":[{\"name\":\"run\",\"samplers\":[" : ",", times,
                   gltf->poses[i]);
        buffer_say(&channels, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}",
                   count == 0 ? "" : ",", count, i / 2 + 1,
                   i % 2 == 0 ? "translation" : "rotation");
        ++count;
    }
    if (count > 0) {
        buffer_say(json, "],\"channels\":[");
        buffer_put(json, channels.data, channels.size);
        buffer_say(json, "]}]");
    }
    json->failed = json->failed || channels.failed;
    buffer_free(&channels);
}

static void say_all(Gltf* gltf, const Track* track, int times, Buffer* json) {
    buffer_say(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"cairn %s\"}", cn_version());
    buffer_say(json, ",\"scene\":0,\"scenes\":[{\"nodes\":[0]}]");
    number_meshes(gltf);
    say_nodes(gltf, track, json);
    say_meshes(gltf, json);
    say_animation(gltf, times, json);
    buffer_say(json, ",\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":[", gltf->binary.size);
    buffer_put(json, gltf->views.data, gltf->views.size);
    buffer_say(json, "],\"accessors\":[");
    buffer_put(json, gltf->accessors.data, gltf->accessors.size);
    buffer_say(json, "]}");
    json->failed = json->failed || gltf->views.failed || gltf->accessors.failed;
    while (json->size % 4 != 0) {
        buffer_say(json, " ");
    }
}

// ---- the file ----

static bool write_file(const Gltf* gltf, const Buffer* json, CnError* error) {
    const char* path = gltf->conversion->path;
    size_t total = 12 + 8 + json->size + 8 + gltf->binary.size;
    if (total > UINT32_MAX) {
        errno = EFBIG;
        return convert_fail(path, error);
    }
    const uint32_t head[] = {GLB_MAGIC, 2, (uint32_t)total, (uint32_t)json->size, GLB_JSON};
    const uint32_t binary[] = {(uint32_t)gltf->binary.size, GLB_BINARY};
    FILE* file = fopen(path, "wb");
    if (file == NULL) {
        return convert_fail(path, error);
    }
    bool ok = fwrite(head, sizeof head, 1, file) == 1 &&
              fwrite(json->data, 1, json->size, file) == json->size &&
              fwrite(binary, sizeof binary, 1, file) == 1 &&
              fwrite(gltf->binary.data, 1, gltf->binary.size, file) == gltf->binary.size;
    ok = fclose(file) == 0 && ok;
    return ok || convert_fail(path, error);
}

static bool convert(Gltf* gltf, Track* track, float* times, int* chosen, CnError* error) {
    const CnRecordingInfo* info = gltf->conversion->info;
    Buffer json = {0};
    if (!read_track(gltf, track, times, error)) {
        return false;
    }
    for (int i = 0; i < gltf->meshes.count; ++i) {
        if (gltf->meshes.meshes[i].triangle_count > 0) {
            add_mesh(gltf, i);
        }
    }
    int kept = ascending(times, info->frame_count, chosen);
    int input = add_times(gltf, times, chosen, kept);
    add_track(gltf, track, chosen, kept);
    say_all(gltf, track, input, &json);
    bool ok = json.failed || gltf->binary.failed ? convert_fail_memory(error)
                                                 : write_file(gltf, &json, error);
    buffer_free(&json);
    return ok;
}

bool convert_to_gltf(const Conversion* conversion, CnError* error) {
    const CnRecordingInfo* info = conversion->info;
    size_t frames = (size_t)info->frame_count, bodies = (size_t)info->body_count;
    Gltf gltf = {.conversion = conversion};
    if (info->frame_count == 0) {
        error->status = CN_INVALID;
        snprintf(error->message, sizeof error->message, "the recording has no frames");
        return false;
    }
    Track track = {calloc(frames * bodies + 1, sizeof *track.position),
                   calloc(frames * bodies + 1, sizeof *track.rotation)};
    float* times = calloc(frames, sizeof *times);
    int* chosen = calloc(frames, sizeof *chosen);
    bool ok = body_meshes_make(&gltf.meshes, info, error);
    gltf.first_accessor = calloc((size_t)gltf.meshes.count + 1, sizeof(int));
    gltf.mesh_numbers = calloc((size_t)gltf.meshes.count * COLOR_COUNT + 1, sizeof(int));
    gltf.poses = calloc(2 * bodies + 1, sizeof(int));
    if (ok &&
        (track.position == NULL || track.rotation == NULL || times == NULL || chosen == NULL ||
         gltf.first_accessor == NULL || gltf.mesh_numbers == NULL || gltf.poses == NULL)) {
        ok = convert_fail_memory(error);
    }
    ok = ok && convert(&gltf, &track, times, chosen, error);
    body_meshes_free(&gltf.meshes);
    buffer_free(&gltf.binary);
    buffer_free(&gltf.views);
    buffer_free(&gltf.accessors);
    free(gltf.first_accessor);
    free(gltf.mesh_numbers);
    free(gltf.poses);
    free(track.position);
    free(track.rotation);
    free(times);
    free(chosen);
    return ok;
}
