// event_file.c - the events of a run in a file: one JSON object per line.
#include "run/event_file.h"

#include "terminal/interrupt.h"
#include "terminal/json_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool fail(const EventFile* events, CnError* error) {
    error->status = CN_INVALID;
    snprintf(error->message, sizeof error->message, "%s: cannot be written: %s", events->path,
             strerror(errno));
    return false;
}

bool event_file_open(EventFile* events, const char* path, CnError* error) {
    *events = (EventFile){.path = path, .file = -1};
    if (path == NULL) {
        return true;
    }
    events->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return events->file >= 0 || fail(events, error);
}

static bool fail_memory(int count, CnError* error) {
    error->status = CN_NO_MEMORY;
    snprintf(error->message, sizeof error->message, "no memory for %d events", count);
    return false;
}

static bool reserve(EventFile* events, int count, CnError* error) {
    if (count <= events->capacity) {
        return true;
    }
    CnEvent* larger = realloc(events->events, (size_t)count * sizeof *larger);
    if (larger == NULL) {
        return fail_memory(count, error);
    }
    events->events = larger;
    events->capacity = count;
    return true;
}

static void write_side(JsonOut* json, const CnWorld* world, CnBodyId body, CnShapeId shape) {
    CnShapeInfo info;
    json_begin_object(json, NULL);
    json_text(json, "body", body.index == 0 ? "world" : cn_body_name(world, body));
    if (cn_shape_read(world, shape, &info) == CN_OK) {
        json_integer(json, "shape", info.number);
    } else {
        json_null(json, "shape"); // given by hand, or of a joint
    }
    json_end(json);
}

static void write_event(FILE* file, const CnWorld* world, const CnEvent* event) {
    JsonOut json = json_open_line(file);
    json_begin_object(&json, NULL);
    json_real(&json, "time", event->time);
    json_text(&json, "type", cn_event_type_name(event->type));
    json_begin_array(&json, "sides");
    write_side(&json, world, event->body_a, event->shape_a);
    write_side(&json, world, event->body_b, event->shape_b);
    json_end(&json);
    bool hits = event->type == CN_EVENT_CONTACT_HIT, breaks = event->type == CN_EVENT_JOINT_BROKE;
    if (breaks) {
        json_text(&json, "joint", cn_joint_name(world, event->joint));
    }
    if (hits || breaks || event->type == CN_EVENT_CONTACT_BEGIN) {
        json_vec3(&json, "point", event->point);
    }
    if (hits || event->type == CN_EVENT_CONTACT_BEGIN) {
        json_vec3(&json, "normal", event->normal);
    }
    if (hits) {
        json_real(&json, "speed", event->speed);
    }
    if (hits || breaks) {
        json_real(&json, "impulse", event->impulse);
    }
    json_end(&json);
}

static bool write_all(int file, const char* text, size_t length) {
    while (length > 0) {
        ssize_t written = write(file, text, length);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        if (written > 0) {
            text += written;
            length -= (size_t)written;
        }
    }
    return true;
}

// The lines of one step, in one piece.
static bool write_events(const EventFile* events, const CnWorld* world, int count, CnError* error) {
    char* text = NULL;
    size_t length = 0;
    FILE* lines = open_memstream(&text, &length);
    if (lines == NULL) {
        return fail_memory(count, error);
    }
    for (int i = 0; i < count; ++i) {
        write_event(lines, world, &events->events[i]);
    }
    bool has_all = !ferror(lines);
    has_all = fclose(lines) == 0 && has_all;
    bool ok = has_all || fail_memory(count, error);
    if (ok) {
        interrupt_block();
        ok = write_all(events->file, text, length) || fail(events, error);
        interrupt_unblock();
    }
    free(text);
    return ok;
}

bool event_file_add(EventFile* events, const CnWorld* world, CnError* error) {
    int count = events->path == NULL ? 0 : cn_world_events(world, NULL, 0);
    if (count == 0) {
        return true;
    }
    if (!reserve(events, count, error)) {
        return false;
    }
    cn_world_events(world, events->events, count);
    return write_events(events, world, count, error);
}

bool event_file_close(EventFile* events, CnError* error) {
    free(events->events);
    events->events = NULL;
    bool is_whole = events->path == NULL || events->file < 0 || close(events->file) == 0;
    events->file = -1;
    return is_whole || fail(events, error);
}
