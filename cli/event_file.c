// event_file.c - the events of a run in a file: one JSON object per line.
#include "event_file.h"

#include "json_out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool fail(const EventFile* events, CnError* error) {
    error->status = CN_INVALID;
    snprintf(error->message, sizeof error->message, "%s: cannot be written: %s", events->path,
             strerror(errno));
    return false;
}

bool event_file_open(EventFile* events, const char* path, CnError* error) {
    *events = (EventFile){.path = path};
    if (path == NULL) {
        return true;
    }
    events->file = fopen(path, "w");
    return events->file != NULL || fail(events, error);
}

static bool reserve(EventFile* events, int count, CnError* error) {
    if (count <= events->capacity) {
        return true;
    }
    CnEvent* larger = realloc(events->events, (size_t)count * sizeof *larger);
    if (larger == NULL) {
        error->status = CN_NO_MEMORY;
        snprintf(error->message, sizeof error->message, "no memory for %d events", count);
        return false;
    }
    events->events = larger;
    events->capacity = count;
    return true;
}

static void write_side(JsonOut* json, const CnWorld* world, CnBodyId body, int shape) {
    json_begin_object(json, NULL);
    json_text(json, "body", body.index == 0 ? "world" : cn_body_name(world, body));
    if (shape < 0) {
        json_null(json, "shape"); // given by hand, or of a joint
    } else {
        json_integer(json, "shape", shape);
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

bool event_file_add(EventFile* events, const CnWorld* world, CnError* error) {
    if (events->path == NULL) {
        return true;
    }
    int count = cn_world_events(world, NULL, 0);
    if (!reserve(events, count, error)) {
        return false;
    }
    cn_world_events(world, events->events, count);
    for (int i = 0; i < count; ++i) {
        write_event(events->file, world, &events->events[i]);
    }
    return !ferror(events->file) || fail(events, error);
}

bool event_file_close(EventFile* events, CnError* error) {
    free(events->events);
    events->events = NULL;
    bool is_whole = events->file == NULL || fclose(events->file) == 0;
    events->file = NULL;
    return is_whole || fail(events, error);
}
