// live_run.h - a scene that runs at the pace of the clock while a page watches and steers it.
#pragma once

#include "run/live_scene.h"

typedef struct LiveRunDef {
    const char* scene; // as the command line has it: a file or "@name[:size]"
    SceneOverrides overrides;
    int port;           // 0: any free one
    bool opens_browser; // where there is one
    Console* console;
} LiveRunDef;

// Until Ctrl-C or SIGTERM.
ExitCode live_run(const LiveRunDef* def);

// Prints the address of a page and opens it in a browser where there is one.
void show_address(const Console* console, const char* address, bool opens_browser);
