// convert_html.c - a recording as a page that opens from disk.
#include "recording/convert.h"
#include "serve/html.h"

bool convert_to_html(const Conversion* conversion, CnError* error) {
    const HtmlTrack track = {"", conversion->from};
    return html_write(conversion->path, &(HtmlPage){.tracks = &track, .count = 1}, error);
}
