// server.c - the viewer's server: loopback only, an unguessable token, bounded in all it takes.
//
// Who may ask: requests to our own address (Host, so that a name that an attacker points at
// 127.0.0.1 is refused), from our own page (Origin, when there is one), with the token that only
// the printed address has.
#include "serve/server.h"

#include "serve/page.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TOKEN_BYTES 16          // 128 bits of chance
#define MAX_CONNECTIONS 32      // a browser uses six
#define IDLE_TIMEOUT 10         // of a connection that sends nothing [s]
#define CONNECTION_MEMORY 32768 // headers of a request and one part of an answer [bytes]
#define STREAM_BLOCK 65536      // part of an answer that is made at once [bytes]
#define STREAM_NAP 5            // between two looks for new frames [ms]

struct Server {
    ServerDef def;
    struct MHD_Daemon* daemon;
    char token[2 * TOKEN_BYTES + 1];
    char host[2][32]; // what Host may be
    char origin[2][40];
    char address[120];
    char* page;
    size_t page_size;
};

// ---- answers ----

static enum MHD_Result send_response(struct MHD_Connection* connection, unsigned status,
                                     struct MHD_Response* response, const char* type) {
    MHD_add_response_header(response, "Content-Type", type);
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    MHD_add_response_header(response, "Content-Security-Policy",
                            "default-src 'none'; script-src 'unsafe-inline'; style-src "
                            "'unsafe-inline'; img-src data:; font-src data:; connect-src 'self'; "
                            "frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result send_text(struct MHD_Connection* connection, unsigned status,
                                 const char* text, const char* type) {
    return send_response(connection, status,
                         MHD_create_response_from_buffer(strlen(text), (void*)(uintptr_t)text,
                                                         MHD_RESPMEM_MUST_COPY),
                         type);
}

static enum MHD_Result refuse(struct MHD_Connection* connection, unsigned status,
                              const char* sentence) {
    return send_text(connection, status, sentence, "text/plain; charset=utf-8");
}

static enum MHD_Result send_recording(const Server* server, struct MHD_Connection* connection) {
    struct stat status;
    int file = open(server->def.recording, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0) {
        if (file >= 0) {
            close(file);
        }
        return refuse(connection, MHD_HTTP_NOT_FOUND, "The recording can no longer be read.\n");
    }
    return send_response(connection, MHD_HTTP_OK,
                         MHD_create_response_from_fd64((uint64_t)status.st_size, file),
                         "application/octet-stream");
}

typedef struct Following {
    Stream* stream;
    StreamReader reader;
} Following;

// Of type MHD_ContentReaderCallback. The server has one thread per connection, so a nap is fine.
static ssize_t read_stream(void* context, uint64_t position, char* bytes, size_t capacity) {
    static const struct timespec nap = {0, STREAM_NAP * 1000000L};
    Following* following = context;
    size_t size = 0;
    (void)position;
    switch (stream_read(following->stream, &following->reader, bytes, capacity, &size)) {
    case STREAM_BYTES:
        return (ssize_t)size;
    case STREAM_WAIT:
        nanosleep(&nap, NULL);
        return 0;
    case STREAM_END:
        break;
    }
    return MHD_CONTENT_READER_END_OF_STREAM;
}

static enum MHD_Result send_stream(const Server* server, struct MHD_Connection* connection) {
    Following* following = malloc(sizeof *following);
    if (following == NULL) {
        return MHD_NO;
    }
    *following = (Following){server->def.stream, stream_reader(server->def.stream)};
    return send_response(connection, MHD_HTTP_OK,
                         MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK,
                                                           read_stream, following, free),
                         "application/octet-stream");
}

static const char* find_parameter(const ServerCommand* command, const char* key) {
    return MHD_lookup_connection_value(command->request, MHD_GET_ARGUMENT_KIND, key);
}

// Refusals are our own sentences, without quotes or control characters.
static enum MHD_Result run_command(const Server* server, struct MHD_Connection* connection) {
    char refusal[200] = "", answer[256];
    const char* name = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "command");
    ServerCommand command = {name == NULL ? "" : name, find_parameter, connection};
    bool ok = server->def.command(&command, refusal, sizeof refusal, server->def.context);
    for (char* letter = refusal; *letter != 0; ++letter) {
        *letter =
            *letter == '"' || *letter == '\\' || (unsigned char)*letter < ' ' ? '\'' : *letter;
    }
    snprintf(answer, sizeof answer, "{\"ok\": %s, \"message\": \"%s\"}", ok ? "true" : "false",
             refusal);
    return send_text(connection, MHD_HTTP_OK, answer, "application/json");
}

// ---- requests ----

static bool is_one_of(const char* text, const char* first, const char* second) {
    return text != NULL && (strcmp(text, first) == 0 || strcmp(text, second) == 0);
}

// In a time that does not tell how much of it was right.
static bool is_token(const Server* server, const char* token) {
    unsigned difference = token == NULL || strlen(token) != strlen(server->token);
    for (size_t i = 0; difference == 0 && i < sizeof server->token - 1; ++i) {
        difference |= (unsigned char)token[i] ^ (unsigned char)server->token[i];
    }
    return difference == 0;
}

// NULL when the request may go on; else why not.
static const char* find_refusal(const Server* server, struct MHD_Connection* connection) {
    const char* host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char* origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
    const char* token = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "token");
    if (!is_one_of(host, server->host[0], server->host[1])) {
        return "This server answers only to its own address on this machine.\n";
    }
    if (origin != NULL && !is_one_of(origin, server->origin[0], server->origin[1])) {
        return "Only the page of this server may ask.\n";
    }
    return is_token(server, token)
               ? NULL
               : "The token is missing or wrong: open the address that cairn view printed.\n";
}

static enum MHD_Result answer(Server* server, struct MHD_Connection* connection, const char* path,
                              const char* method) {
    bool is_get = strcmp(method, MHD_HTTP_METHOD_GET) == 0;
    bool is_post = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
    const char* refusal = find_refusal(server, connection);
    if (refusal != NULL) {
        return refuse(connection, MHD_HTTP_FORBIDDEN, refusal);
    }
    if (is_get && strcmp(path, "/") == 0) {
        return send_response(connection, MHD_HTTP_OK,
                             MHD_create_response_from_buffer(server->page_size, server->page,
                                                             MHD_RESPMEM_PERSISTENT),
                             "text/html; charset=utf-8");
    }
    if (is_get && strcmp(path, "/recording") == 0 && server->def.recording != NULL) {
        return send_recording(server, connection);
    }
    if (is_get && strcmp(path, "/stream") == 0 && server->def.stream != NULL) {
        return send_stream(server, connection);
    }
    if (is_post && strcmp(path, "/command") == 0 && server->def.command != NULL) {
        return run_command(server, connection);
    }
    return refuse(connection, MHD_HTTP_NOT_FOUND, "There is nothing here.\n");
}

// Of type MHD_AccessHandlerCallback. Called once with the headers, then once per part of a body;
// parameters are in the address, so any body is refused.
static enum MHD_Result handle(void* context, struct MHD_Connection* connection, const char* path,
                              const char* method, const char* version, const char* upload,
                              size_t* upload_size, void** request) {
    static char seen;
    (void)version;
    (void)upload;
    if (*request == NULL) {
        *request = &seen;
        return MHD_YES;
    }
    if (*upload_size != 0) {
        return MHD_NO; // the connection is closed
    }
    return answer(context, connection, path, method);
}

// ---- life ----

static bool make_token(Server* server, CnError* error) {
    unsigned char bytes[TOKEN_BYTES];
    FILE* random = fopen("/dev/urandom", "rb");
    bool ok = random != NULL && fread(bytes, 1, sizeof bytes, random) == sizeof bytes;
    if (random != NULL) {
        fclose(random);
    }
    if (!ok) {
        error->status = CN_INVALID;
        snprintf(error->message, sizeof error->message, "no random numbers for the address");
        return false;
    }
    for (int i = 0; i < TOKEN_BYTES; ++i) {
        snprintf(server->token + 2 * i, 3, "%02x", bytes[i]);
    }
    return true;
}

static bool make_page(Server* server, CnError* error) {
    const char* settings = server->def.settings;
    const char* text = (const char*)viewer_page;
    const char* mark = strstr(text, VIEWER_DATA_MARK);
    if (mark == NULL) {
        error->status = CN_UNSUPPORTED;
        snprintf(error->message, sizeof error->message, "%s", VIEWER_IS_MISSING);
        return false;
    }
    static const char before[] = "<script id=\"server\" type=\"application/json\">";
    static const char after[] = "</script>";
    size_t head = (size_t)(mark - text), tail = viewer_page_size - head - strlen(VIEWER_DATA_MARK);
    server->page_size = head + strlen(before) + strlen(settings) + strlen(after) + tail;
    server->page = malloc(server->page_size);
    if (server->page == NULL) {
        error->status = CN_NO_MEMORY;
        snprintf(error->message, sizeof error->message, "no memory for the page");
        return false;
    }
    char* at = server->page;
    const struct {
        const char* bytes;
        size_t size;
    } parts[] = {{text, head},
                 {before, strlen(before)},
                 {settings, strlen(settings)},
                 {after, strlen(after)},
                 {mark + strlen(VIEWER_DATA_MARK), tail}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        memcpy(at, parts[i].bytes, parts[i].size);
        at += parts[i].size;
    }
    return true;
}

static bool open_port(Server* server, CnError* error) {
    struct sockaddr_in place = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)server->def.port)};
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server->daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL, 0, NULL,
        NULL, handle, server, MHD_OPTION_SOCK_ADDR, (struct sockaddr*)&place,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)MAX_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)IDLE_TIMEOUT, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
        MHD_OPTION_END);
    if (server->daemon == NULL) {
        error->status = CN_INVALID;
        snprintf(error->message, sizeof error->message,
                 "port %d of 127.0.0.1 cannot be opened; leave --port out for any free one",
                 server->def.port);
        return false;
    }
    int port = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    static const char* const names[2] = {"127.0.0.1", "localhost"};
    for (int i = 0; i < 2; ++i) {
        snprintf(server->host[i], sizeof server->host[i], "%s:%d", names[i], port);
        snprintf(server->origin[i], sizeof server->origin[i], "http://%s:%d", names[i], port);
    }
    snprintf(server->address, sizeof server->address, "http://%s:%d/?token=%.*s", names[0], port,
             2 * TOKEN_BYTES, server->token);
    return true;
}

Server* server_start(const ServerDef* def, CnError* error) {
    Server* server = calloc(1, sizeof *server);
    if (server == NULL) {
        error->status = CN_NO_MEMORY;
        snprintf(error->message, sizeof error->message, "no memory for the server");
        return NULL;
    }
    server->def = *def;
    if (!make_token(server, error) || !make_page(server, error) || !open_port(server, error)) {
        server_stop(server);
        return NULL;
    }
    return server;
}

void server_stop(Server* server) {
    if (server == NULL) {
        return;
    }
    if (server->def.stream != NULL) {
        stream_end(server->def.stream);
    }
    if (server->daemon != NULL) {
        MHD_stop_daemon(server->daemon);
    }
    free(server->page);
    free(server);
}

const char* server_address(const Server* server) {
    return server->address;
}
