// number_lines.c - plain text with numbers on its lines, shared by readers of heights and series.
#include "io/text/number_lines.h"

#include "io/text/number.h"
#include <string.h>

char cn_lines_skip_blanks(CnWordReader* text) {
    text->at += strspn(text->bytes + text->at, CN_BLANKS);
    return text->bytes[text->at];
}

bool cn_lines_at_end(char next) {
    return next == '\n' || next == '\r' || next == '#' || next == 0;
}

bool cn_lines_read(CnWordReader* text, bool (*read_line)(void* reader), void* reader) {
    CnNumberScope scope;
    if (memchr(text->bytes, 0, text->length) != NULL) {
        return cn_report_error(text->errors, CN_INVALID, 0, "",
                               "is not plain text: it holds null characters");
    }
    if (!cn_number_scope_begin(&scope)) {
        return cn_report_no_memory(text->errors);
    }
    bool ok = true;
    do {
        ok = read_line(reader);
    } while (ok && cn_reader_next_line(text));
    cn_number_scope_end(&scope);
    return ok;
}
