// html.h - recordings in one HTML file that opens from disk, without a server or a network.
#pragma once

#include "cairn/base.h"

typedef struct HtmlTrack {
    const char* name;      // shown in its view; "" for a single one
    const char* recording; // file
} HtmlTrack;

// Several tracks are shown side by side. The file is written whole or not at all.
bool html_write(const char* path, const HtmlTrack* tracks, int count, CnError* error);
