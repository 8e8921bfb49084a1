// html.h - recordings in one HTML file that opens from disk, without a server or a network.
#pragma once

#include "cairn/base.h"

typedef struct HtmlTrack {
    const char* name;      // shown in its view; "" for a single one
    const char* recording; // file
} HtmlTrack;

typedef struct HtmlPage {
    const HtmlTrack* tracks; // shown side by side   [count]
    int count;
    const char* data_name; // of data in the page: "comparison"; NULL: there is none
    const char* data;      // JSON
} HtmlPage;

// The file is written whole or not at all.
bool html_write(const char* path, const HtmlPage* page, CnError* error);
