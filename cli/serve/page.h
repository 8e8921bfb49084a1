// page.h - the viewer's page as the program carries it: one HTML file without its data.
#pragma once

#include <stddef.h>

// Written by viewer/build.mjs. Empty when the program was built without npm.
extern const unsigned char viewer_page[]; // a zero follows   [viewer_page_size]
extern const size_t viewer_page_size;

// Where recordings, or the settings of a server, go.
#define VIEWER_DATA_MARK "<!--CAIRN-DATA-->"

#define VIEWER_IS_MISSING                                                                          \
    "this cairn was built without the viewer, because npm was missing: run "                       \
    "tools/install_dependencies.sh build, then build it again"
