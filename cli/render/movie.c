// movie.c - pictures as a film, through the program ffmpeg.
#include "render/movie.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

struct Movie {
    pid_t ffmpeg;
    int pictures; // pipe to it
    size_t size;  // of a picture [bytes]
    char path[4096], part[4096];
    struct sigaction old_pipe; // a broken pipe is an error of write(), not the end of the program
};

static bool fail(CnError* error, const char* path, const char* why) {
    error->status = CN_INVALID;
    snprintf(error->message, sizeof error->message, "%.200s cannot be written: %.150s", path, why);
    return false;
}

static bool ends_with(const char* text, const char* ending) {
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

// Its input is the pipe, its messages (errors only) are ours.
static bool start_ffmpeg(Movie* movie, int width, int height, double frame_rate, CnError* error) {
    char size[32], rate[32];
    int ends[2];
    bool is_gif = ends_with(movie->path, ".gif");
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(rate, sizeof rate, "%g", frame_rate);
    const char* arguments[] = {"ffmpeg",
                               "-nostdin",
                               "-loglevel",
                               "error",
                               "-y",
                               "-f",
                               "rawvideo",
                               "-pix_fmt",
                               "rgb24",
                               "-s",
                               size,
                               "-r",
                               rate,
                               "-i",
                               "-",
                               "-vf",
                               is_gif ? "split[a][b];[a]palettegen[p];[b][p]paletteuse"
                                      : "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p",
                               "-map_metadata",
                               "-1",
                               "-fflags",
                               "+bitexact",
                               "-f",
                               is_gif ? "gif" : "mp4",
                               movie->part,
                               NULL};
    if (pipe(ends) != 0) {
        return fail(error, movie->path, strerror(errno));
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    int problem = posix_spawnp(&movie->ffmpeg, "ffmpeg", &actions, NULL,
                               (char* const*)(uintptr_t)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    movie->pictures = ends[1];
    if (problem != 0) {
        close(ends[1]);
        return fail(error, movie->path,
                    problem == ENOENT ? "the program ffmpeg is not installed (Debian: ffmpeg)"
                                      : strerror(problem));
    }
    return true;
}

Movie* movie_open(const char* path, int width, int height, double frame_rate, CnError* error) {
    Movie* movie = calloc(1, sizeof *movie);
    if (movie == NULL || strlen(path) + sizeof ".part" > sizeof movie->part) {
        fail(error, path, movie == NULL ? "no memory" : "the name is too long");
        free(movie);
        return NULL;
    }
    snprintf(movie->path, sizeof movie->path, "%s", path);
    memcpy(movie->part, path, strlen(path));
    strcat(movie->part, ".part");
    movie->size = 3 * (size_t)width * (size_t)height;
    sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, &movie->old_pipe);
    if (!start_ffmpeg(movie, width, height, frame_rate, error)) {
        sigaction(SIGPIPE, &movie->old_pipe, NULL);
        free(movie);
        return NULL;
    }
    return movie;
}

bool movie_add(Movie* movie, const uint8_t* rgb, CnError* error) {
    for (size_t done = 0; done < movie->size;) {
        ssize_t part = write(movie->pictures, rgb + done, movie->size - done);
        if (part < 0 && errno != EINTR) {
            return fail(error, movie->path, "ffmpeg ended before the last picture");
        }
        done += part > 0 ? (size_t)part : 0;
    }
    return true;
}

bool movie_close(Movie* movie, CnError* error) {
    int status = 0;
    close(movie->pictures);
    while (waitpid(movie->ffmpeg, &status, 0) < 0 && errno == EINTR) {
    }
    bool ok =
        WIFEXITED(status) && WEXITSTATUS(status) == 0 && rename(movie->part, movie->path) == 0;
    if (!ok) {
        remove(movie->part);
        fail(error, movie->path, "ffmpeg failed");
    }
    sigaction(SIGPIPE, &movie->old_pipe, NULL);
    free(movie);
    return ok;
}
