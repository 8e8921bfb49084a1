// server.h - the viewer's server: loopback only, an unguessable token, bounded in all it takes.
#pragma once

#include "cairn/base.h"
#include "serve/stream.h"

typedef struct Server Server;

// One command of the page: "drag" and its parameters, as text. Runs on a thread of the server.
typedef struct ServerCommand {
    const char* name;
    // NULL when it was not given; valid during the call.
    const char* (*parameter)(const struct ServerCommand* command, const char* key);
    void* request; // of the server
} ServerCommand;

typedef struct ServerDef {
    int port;              // 0: any free one
    const char* settings;  // JSON object for the page: {"mode": "replay"} or {"mode": "live", ...}
    const char* recording; // file that /recording sends; NULL: none
    Stream* stream;        // what /stream sends; NULL: none
    // Writes a sentence into refusal when it returns false. NULL: no commands are taken.
    bool (*command)(const ServerCommand* command, char* refusal, size_t size, void* context);
    void* context;
} ServerDef;

// NULL: the port is taken, or the program was built without the viewer; error says which.
Server* server_start(const ServerDef* def, CnError* error);
void server_stop(Server* server); // NULL is fine

const char* server_address(const Server* server); // with the token
