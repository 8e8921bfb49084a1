// convert.h - recordings as files of other programs.
#pragma once

#include "recording/body_meshes.h"

// A recording that is being converted.
typedef struct Conversion {
    CnRecording* recording;
    const CnRecordingInfo* info;
    const char* from; // file of the recording
    const char* path; // that is written
} Conversion;

// Each is false with a sentence.
bool convert_to_table(const Conversion* conversion, CnError* error);    // .csv, .npy, .npz
bool convert_to_gltf(const Conversion* conversion, CnError* error);     // .glb
bool convert_to_paraview(const Conversion* conversion, CnError* error); // .pvd and a folder
bool convert_to_html(const Conversion* conversion, CnError* error);     // .html

// "cannot be written: reason", after errno was set; false.
bool convert_fail(const char* path, CnError* error);
bool convert_fail_memory(CnError* error);

// Bytes that grow.
typedef struct Buffer {
    unsigned char* data;
    size_t size, capacity;
    bool failed; // memory ran out
} Buffer;

void buffer_put(Buffer* buffer, const void* data, size_t size);
__attribute__((format(printf, 2, 3))) void buffer_say(Buffer* buffer, const char* format, ...);
void buffer_free(Buffer* buffer);

// The label of a body: its name, or "body 3".
void convert_body_label(const CnRecordingInfo* info, int body, char* label, size_t size);
