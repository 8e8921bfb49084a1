// run_page.c - a recording, or a scene that is run for it, as a page.
#include "serve/run_page.h"

#include "run/files.h"
#include "serve/html.h"
#include "terminal/interrupt.h"

#include <unistd.h>

ExitCode write_page(const char* recording, const char* html, const Console* console) {
    CnError error = {0};
    const HtmlTrack track = {"", recording};
    if (!html_write(html, &(HtmlPage){.tracks = &track, .count = 1}, &error)) {
        return console_fail(console, &error);
    }
    console_note(console, "%s opens in any browser", html);
    return CODE_OK;
}

ExitCode write_run_page(const RecordedRun* run, const char* html, RunSummary* summary) {
    char path[256];
    CnError error = {0};
    RecordedRun kept = *run;
    kept.path = path;
    interrupt_hold(run->console->quiet);
    if (!check_writable(html, &error) || !make_temporary(path, sizeof path, &error)) {
        return console_fail(run->console, &error);
    }
    ExitCode code = record_run(&kept, summary, &error) ? write_page(path, html, run->console)
                                                       : console_fail(run->console, &error);
    unlink(path);
    return code;
}
