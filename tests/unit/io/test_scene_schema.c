// test_scene_schema.c - loader, schema and manual of scene files know the same keys.
#include "support/test.h"

#include "io/scene/scene_fields.h"
#include "io/text/file.h"
#include <glob.h>
#include <stdio.h>
#include <unistd.h>

#define LIMIT 1000000 // [bytes]

// Where each table's object is described: in $defs of the schema, under a heading of docs/scene.md.
static const struct {
    const CnFieldTable* table;
    const char* definition; // NULL: the top
    const char* heading;
} objects[] = {
    {&cn_scene_file_table, NULL, "The file"},
    {&cn_scene_include_table, "include", "An include"},
    {&cn_scene_repeat_table, "repeat", "A repeated group"},
    {&cn_scene_step_table, "step", "step"},
    {&cn_scene_solver_table, "solver", "solver"},
    {&cn_scene_material_table, "material", "A material"},
    {&cn_scene_pair_table, "material_pair", "A material pair"},
    {&cn_scene_series_table, "series", "A series"},
    {&cn_scene_sine_table, "sine", "A sine"},
    {&cn_scene_ramp_table, "ramp", "A ramp"},
    {&cn_scene_pulse_table, "pulse", "A pulse"},
    {&cn_scene_body_table, "body", "A body"},
    {&cn_scene_start_table, "start", "A start"},
    {&cn_scene_motion_table, "motion", "A motion"},
    {&cn_scene_rotation_table, "rotation", "A rotation"},
    {&cn_scene_shape_table, "shape", "A shape"},
    {&cn_scene_contact_table, "contact", "A contact"},
    {&cn_scene_constraint_table, "constraint", "A constraint"},
    {&cn_scene_joint_table, "joint", "A joint"},
    {&cn_scene_axes_table, "axes", "axes"},
    {&cn_scene_axis_table, "axis", "An axis"},
    {&cn_scene_spring_table, "axis_spring", "A spring of an axis"},
    {&cn_scene_degrees_table, "degrees", "An angle"},
    {&cn_scene_force_table, "force", "A force"},
    {&cn_scene_collide_table, "collide", "collide"},
};
#define OBJECT_COUNT (sizeof objects / sizeof objects[0])

static CnArena arena;
static CnErrorList errors;

static char* read_repository_file(const char* name, size_t* length) {
    char path[400], *text = NULL;
    snprintf(path, sizeof path, "%s/%s", TEST_SOURCE_DIR, name);
    cn_arena_init(&arena, NULL);
    cn_error_list_init(&errors, path, NULL, 0);
    CHECK(cn_file_read(path, LIMIT, &arena, &text, length, &errors));
    return text;
}

static const CnJson* read_schema(void) {
    size_t length;
    char* text = read_repository_file("scenes/scene.schema.json", &length);
    const CnJson* top = cn_json_parse(text, length, &arena, &errors);
    CHECK(top != NULL);
    return top;
}

static const CnJson* definition_of(const CnJson* schema, const char* name) {
    const CnJson* found =
        name == NULL ? schema : cn_json_member(cn_json_member(schema, "$defs"), name);
    ck_assert_msg(found != NULL, "the schema does not define %s", name);
    return found;
}

static bool lists(const CnJson* array, const char* word) {
    for (const CnJson* item = array != NULL ? array->first : NULL; item != NULL;
         item = item->next) {
        if (strcmp(item->string, word) == 0) {
            return true;
        }
    }
    return false;
}

static void the_schema_has_the_keys_of_the_loader(void) {
    const CnJson* schema = read_schema();
    for (size_t i = 0; i < OBJECT_COUNT; ++i) {
        const CnFieldTable* table = objects[i].table;
        const CnJson* definition = definition_of(schema, objects[i].definition);
        const CnJson* properties = cn_json_member(definition, "properties");
        int count = 0;
        for (int k = 0; k < table->count; ++k) {
            const CnJsonField* field = &table->fields[k];
            bool there = cn_json_member(properties, field->key) != NULL;
            ck_assert_msg(there, "%s: %s", table->what, field->key);
            bool required = lists(cn_json_member(definition, "required"), field->key);
            ck_assert_msg(required == field->required, "%s: %s", table->what, field->key);
            count += there;
        }
        CHECK(cn_json_member(properties, "$schema") != NULL);
        CHECK(cn_json_member(properties, "comment") != NULL);
        count += 2; // which every object has besides those of its table
        ck_assert_msg(count == properties->count, "%s: the schema has %d keys, the loader %d",
                      table->what, properties->count, count);
        const CnJson* others = cn_json_member(definition, "additionalProperties");
        CHECK(others != NULL && others->type == CN_JSON_BOOLEAN && !others->boolean);
    }
    cn_arena_destroy(&arena);
}

static void the_schema_has_the_choices_of_the_loader(void) {
    const CnJson* schema = read_schema();
    int checked = 0;
    for (size_t i = 0; i < OBJECT_COUNT; ++i) {
        const CnFieldTable* table = objects[i].table;
        const CnJson* definition = definition_of(schema, objects[i].definition);
        for (int k = 0; k < table->count; ++k) {
            const CnJsonField* field = &table->fields[k];
            if (field->type != CN_FIELD_CHOICE) {
                continue;
            }
            const CnJson* property =
                cn_json_member(cn_json_member(definition, "properties"), field->key);
            const CnJson* names = cn_json_member(property, "enum");
            CHECK(names != NULL);
            CHECK_INT(names->count, field->count);
            for (int choice = 0; choice < field->count; ++choice) {
                CHECK(lists(names, field->choice_name(choice)));
            }
            checked += 1;
        }
    }
    CHECK_INT(checked, 19); // scheme rotation integrator implicit_method stabilisation warm_start
                            // friction preconditioner, type of body, shape and joint, direction,
                            // motor twice, motion, frame
    const CnJson* kinds = cn_json_follow(schema, "$defs.constraint.properties.kind.enum");
    CHECK_INT(kinds->count, cn_point_kind_count);
    for (int i = 0; i < cn_point_kind_count; ++i) {
        CHECK(lists(kinds, cn_point_kinds[i].name));
    }
    cn_arena_destroy(&arena);
}

// The rows "| `key` | ..." under a heading: how many there are, and whether one has this key.
static int count_rows(const char* section, const char* key, bool* found) {
    int count = 0;
    *found = false;
    for (const char* line = strchr(section, '\n'); line != NULL && strncmp(line, "\n## ", 4) != 0;
         line = strchr(line + 1, '\n')) {
        if (strncmp(line, "\n| `", 4) == 0) {
            count += 1;
            size_t length = strcspn(line + 4, "`");
            *found = *found || (strlen(key) == length && strncmp(line + 4, key, length) == 0);
        }
    }
    return count;
}

static void the_manual_has_the_keys_of_the_loader(void) {
    size_t length;
    const char* text = read_repository_file("docs/scene.md", &length);
    for (size_t i = 0; i < OBJECT_COUNT; ++i) {
        const CnFieldTable* table = objects[i].table;
        char heading[64];
        snprintf(heading, sizeof heading, "\n## %s\n", objects[i].heading);
        const char* section = strstr(text, heading);
        ck_assert_msg(section != NULL, "docs/scene.md has no section %s", objects[i].heading);
        section += 1;
        int rows = 0, count = 0;
        for (int k = 0; k < table->count; ++k) {
            bool found;
            rows = count_rows(section, table->fields[k].key, &found);
            ck_assert_msg(found, "docs/scene.md: %s: %s", table->what, table->fields[k].key);
            count += found;
        }
        CHECK_INT(rows, count);
    }
    cn_arena_destroy(&arena);
}

// The first ```json block of a page.
static char* example_of(const char* page) {
    size_t length;
    char* text = strstr(read_repository_file(page, &length), "```json\n");
    CHECK(text != NULL);
    text += strlen("```json\n");
    char* end = strstr(text, "```");
    CHECK(end != NULL);
    *end = 0;
    return text;
}

static void the_example_of_the_scene_page_loads_and_runs(void) {
    const char* text = example_of("docs/scene.md");
    CnError error;
    CnScene* scene = cn_scene_parse(text, strlen(text), "docs/scene.md", &error);
    ck_assert_msg(scene != NULL, "%s", error.message);
    CnWorld* world = cn_scene_build(scene, NULL, &error);
    CHECK_INT(cn_world_step(world, 1e-3, NULL, &error), CN_OK);
    cn_world_destroy(world);
    cn_scene_destroy(scene);
    cn_arena_destroy(&arena);
}

static void the_example_of_the_problem_page_loads(void) {
    const char* text = example_of("docs/problem-file.md");
    char path[400];
    CnError error;
    snprintf(path, sizeof path, "%s/example_%ld.json", TEST_BINARY_DIR, (long)getpid());
    CHECK_INT(cn_file_write(path, text, strlen(text), &error), CN_OK);
    CnOwnedProblem* problem = cn_problem_load(path, &error);
    ck_assert_msg(problem != NULL, "%s", error.message);
    CHECK_INT(cn_owned_problem_get(problem)->row_count, 3);
    cn_owned_problem_destroy(problem);
    cn_arena_destroy(&arena);
    unlink(path);
}

static void every_scene_of_the_collection_loads(void) {
    glob_t files;
    int result = glob(TEST_SOURCE_DIR "/scenes/*/*.json", 0, NULL, &files);
    CHECK_INT(result, 0); // 0: at least one file matches
    for (size_t i = 0; i < files.gl_pathc; ++i) {
        CnError error;
        CnScene* scene = cn_scene_open(files.gl_pathv[i], &error);
        ck_assert_msg(scene != NULL, "%s", error.message);
        cn_scene_destroy(scene);
    }
    globfree(&files);
}

TEST_MAIN("io/scene_schema", TEST(the_schema_has_the_keys_of_the_loader),
          TEST(the_schema_has_the_choices_of_the_loader),
          TEST(the_manual_has_the_keys_of_the_loader),
          TEST(the_example_of_the_scene_page_loads_and_runs),
          TEST(the_example_of_the_problem_page_loads), TEST(every_scene_of_the_collection_loads))
