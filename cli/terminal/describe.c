// describe.c - tables of options as man pages and as completion for bash.
#include "terminal/describe.h"

#include "builtin/builtin_scenes.h"

#include <ctype.h>
#include <string.h>

// ---- man pages: troff with the macros of man(7) ----

// Hyphens stay hyphens, backslashes stay backslashes, and no line of text becomes a request.
static void put_text(FILE* out, const char* text) {
    bool at_start = true;
    for (; *text != '\0'; ++text) {
        if (at_start && (*text == '.' || *text == '\'')) {
            fputs("\\&", out);
        }
        if (*text == '-') {
            fputs("\\-", out);
        } else if (*text == '\\') {
            fputs("\\e", out);
        } else {
            fputc(*text, out);
        }
        at_start = *text == '\n';
    }
}

static void put_title(FILE* out, const char* command) {
    fputs(".TH CAIRN", out);
    if (command != NULL) {
        fputc('-', out);
        for (; *command != '\0'; ++command) {
            fputc(toupper((unsigned char)*command), out);
        }
    }
    fprintf(out, " 1 \"\" \"cairn %s\" \"Cairn manual\"\n", cn_version());
}

static void put_option(FILE* out, const Option* option) {
    fputs(".TP\n\\fB\\-\\-", out);
    put_text(out, option->name);
    fputs("\\fR", out);
    for (const Option* value = option; value != NULL && value->placeholder != NULL;
         value = value->second) {
        fprintf(out, " \\fI%s\\fR", value->placeholder);
    }
    fputc('\n', out);
    put_text(out, option->help);
    if (option->kind == OPTION_CHOICE) {
        for (int i = 0; option->choice(i) != NULL; ++i) {
            fputs(i == 0 ? ": " : ", ", out);
            put_text(out, option->choice(i));
        }
    }
    if (option->kind == OPTION_LIST) {
        fputs("; may be given several times", out);
    }
    fputs(".\n", out);
}

static void put_exit_codes(FILE* out) {
    fputs(".SH EXIT STATUS\n", out);
    put_text(out, EXIT_CODES ".\n");
}

void describe_man_page(const Description* self, const Usage* usage, const Option* common,
                       int common_count) {
    FILE* out = self->out;
    const char* name = usage->command->name;
    put_title(out, name);
    fprintf(out, ".SH NAME\ncairn-%s \\- ", name);
    put_text(out, usage->command->summary);
    fprintf(out, "\n.SH SYNOPSIS\n.B cairn %s\n", name);
    if (usage->operands[0] != '\0') {
        fprintf(out, ".I %s\n", usage->operands);
    }
    fputs("[options]\n.SH OPTIONS\n", out);
    for (int i = 0; i < usage->option_count; ++i) {
        put_option(out, &usage->options[i]);
    }
    for (int i = 0; i < common_count; ++i) {
        put_option(out, &common[i]);
    }
    if (usage->notes != NULL) {
        fputs(".SH NOTES\n", out);
        put_text(out, usage->notes);
        fputc('\n', out);
    }
    put_exit_codes(out);
    fputs(".SH SEE ALSO\n.BR cairn (1)\n", out);
}

void describe_main_page(FILE* out) {
    put_title(out, NULL);
    fputs(".SH NAME\ncairn \\- rigid\\-body dynamics whose every answer carries a measure of its "
          "error\n.SH SYNOPSIS\n.B cairn\n.I COMMAND\n[options]\n.SH COMMANDS\n",
          out);
    for (int i = 0; command_at(i) != NULL; ++i) {
        if (!command_at(i)->hidden) {
            fprintf(out, ".TP\n.BR cairn\\-%s (1)\n", command_at(i)->name);
            put_text(out, command_at(i)->summary);
            fputs(".\n", out);
        }
    }
    fputs(".SH SCENES\nA scene is a file, \\- for standard input, or one of these, with another "
          "size if you like:\n",
          out);
    for (int i = 0; i < cn_builtin_scene_count(); ++i) {
        CnBuiltinScene scene = cn_builtin_scene_at(i);
        fprintf(out, ".TP\n\\fB@%s:%d\\fR\n", scene.name, scene.default_size);
        put_text(out, scene.summary);
        fputs(".\n", out);
    }
    put_exit_codes(out);
}

// ---- completion for bash ----

// Words that bash breaks at ("@", "=", ":") are put together again from the line.
void describe_completion_begin(FILE* out) {
    fputs("# bash completion for cairn, made from its tables of options\n"
          "_cairn() {\n"
          "    local line=${COMP_LINE:0:COMP_POINT} current=${COMP_WORDS[COMP_CWORD]}\n"
          "    local word=${line##* } command=${COMP_WORDS[1]} options= values= files=1\n"
          "    local before=${line% *} previous scenes=\"",
          out);
    for (int i = 0; i < cn_builtin_scene_count(); ++i) {
        fprintf(out, "%s@%s", i > 0 ? " " : "", cn_builtin_scene_at(i).name);
    }
    fputs("\"\n    previous=${before##* }\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        COMPREPLY=($(compgen -W \"",
          out);
    for (int i = 0; command_at(i) != NULL; ++i) {
        if (!command_at(i)->hidden) {
            fprintf(out, "%s ", command_at(i)->name);
        }
    }
    fputs("--help --version\" -- \"$current\"))\n        return\n    fi\n"
          "    case \"$command $previous\" in\n",
          out);
}

static void put_values(FILE* out, const char* command, const Option* option) {
    if (option->kind == OPTION_FLAG) {
        return;
    }
    fprintf(out, "    \"%s --%s\") options= ", command, option->name);
    if (option->kind == OPTION_CHOICE) {
        fputs("files= values=\"", out);
        for (int i = 0; option->choice(i) != NULL; ++i) {
            fprintf(out, "%s%s", i > 0 ? " " : "", option->choice(i));
        }
        fputs("\" ;;\n", out);
    } else {
        fputs(option->kind == OPTION_TEXT ? "scenes= ;;\n" : "files= scenes= ;;\n", out);
    }
}

void describe_completion(const Description* self, const Usage* usage, const Option* common,
                         int common_count) {
    FILE* out = self->out;
    const char* name = usage->command->name;
    for (int i = 0; i < usage->option_count; ++i) {
        put_values(out, name, &usage->options[i]);
    }
    fprintf(out, "    \"%s \"*) options=\"", name);
    for (int i = 0; i < usage->option_count; ++i) {
        fprintf(out, "--%s ", usage->options[i].name);
    }
    for (int i = 0; i < common_count; ++i) {
        fprintf(out, "%s--%s", i > 0 ? " " : "", common[i].name);
    }
    fputs("\" ;;\n", out);
}

void describe_completion_end(FILE* out) {
    fputs("    esac\n"
          "    if [ -n \"$values\" ]; then\n"
          "        COMPREPLY=($(compgen -W \"$values\" -- \"$current\"))\n"
          "    elif [[ $word == -* ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
          "    elif [[ $word == @* ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$scenes\" -- \"$word\"))\n"
          "        COMPREPLY=(\"${COMPREPLY[@]#\"${word%\"$current\"}\"}\")\n"
          "    elif [ -n \"$files\" ]; then\n"
          "        COMPREPLY=($(compgen -f -- \"$current\"))\n"
          "    fi\n"
          "}\n"
          "complete -o filenames -F _cairn cairn\n",
          out);
}
