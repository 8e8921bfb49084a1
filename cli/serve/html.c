// html.c - recordings in one HTML file that opens from disk, without a server or a network.
#include "serve/html.h"

#include "serve/page.h"
#include "serve/page_track.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUP 3 // bytes that four letters of base64 stand for

// Recordings that are larger than this in all are rounded. In base64, with the viewer, a page has
// 5 MB then.
#define MOST_BYTES ((size_t)3000000)

static void put_base64(const unsigned char* bytes, size_t size, FILE* out) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += GROUP) {
        size_t left = size - i;
        unsigned word = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0u) |
                        (left > 2 ? bytes[i + 2] : 0u);
        char group[4] = {letters[word >> 18], letters[word >> 12 & 63],
                         left > 1 ? letters[word >> 6 & 63] : '=',
                         left > 2 ? letters[word & 63] : '='};
        fwrite(group, 1, sizeof group, out);
    }
}

static void put_escaped(const char* text, FILE* out) {
    for (; *text != 0; ++text) {
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
            break;
        }
    }
}

static bool fail(CnError* error, const char* path, const char* what) {
    error->status = CN_INVALID;
    snprintf(error->message, sizeof error->message, "%s: %s: %s", path, what, strerror(errno));
    return false;
}

static bool put_track(const HtmlTrack* track, size_t most, FILE* out, CnError* error) {
    unsigned char* bytes;
    size_t size;
    if (!page_track_read(track->recording, most, &bytes, &size, error)) {
        return false;
    }
    fputs("<script type=\"text/plain\" class=\"recording\" data-name=\"", out);
    put_escaped(track->name, out);
    fputs("\">", out);
    put_base64(bytes, size, out);
    fputs("</script>\n", out);
    free(bytes);
    return true;
}

// JSON inside of a script must not end it: "<" is written as JSON's own escape.
static void put_data(const HtmlPage* page, FILE* out) {
    fprintf(out, "<script type=\"application/json\" id=\"%s\">", page->data_name);
    for (const char* text = page->data; *text != '\0'; ++text) {
        if (*text == '<') {
            fputs("\\u003c", out);
        } else {
            fputc(*text, out);
        }
    }
    fputs("</script>\n", out);
}

static bool put_page(FILE* out, const HtmlPage* page, CnError* error) {
    const char* text = (const char*)viewer_page;
    const char* mark = strstr(text, VIEWER_DATA_MARK);
    bool ok = true;
    fwrite(text, 1, (size_t)(mark - text), out);
    if (page->data_name != NULL) {
        put_data(page, out);
    }
    for (int i = 0; ok && i < page->count; ++i) {
        ok = put_track(&page->tracks[i], MOST_BYTES / (size_t)page->count, out, error);
    }
    fputs(mark + strlen(VIEWER_DATA_MARK), out);
    return ok;
}

bool html_write(const char* path, const HtmlPage* page, CnError* error) {
    char* part = malloc(strlen(path) + sizeof ".part");
    if (part == NULL || viewer_page_size == 0) {
        error->status = part == NULL ? CN_NO_MEMORY : CN_UNSUPPORTED;
        snprintf(error->message, sizeof error->message, "%s",
                 part == NULL ? "no memory for the page" : VIEWER_IS_MISSING);
        free(part);
        return false;
    }
    sprintf(part, "%s.part", path);
    FILE* out = fopen(part, "wb");
    bool ok = out != NULL || fail(error, path, "cannot be written");
    if (out != NULL) {
        ok = put_page(out, page, error);
        bool is_whole = ferror(out) == 0;
        is_whole = fclose(out) == 0 && is_whole;
        ok = ok && (is_whole || fail(error, path, "cannot be written")) &&
             (rename(part, path) == 0 || fail(error, path, "cannot be written"));
        if (!ok) {
            remove(part);
        }
    }
    free(part);
    return ok;
}
