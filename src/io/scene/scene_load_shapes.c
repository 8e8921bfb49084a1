// scene_load_shapes.c - shapes of bodies from a scene file.
#include "io/scene/scene_loader.h"
#include "io/text/text.h"

#include <string.h>

// ---- which keys ----

static bool report_missing(const CnSceneLoader* loader, const CnJson* value, CnShapeType type,
                           const CnSceneShapeKey* key) {
    return cn_report_error_at(loader->errors, value, "a %s needs the key \"%s\"%s",
                              cn_scene_shape_type_name((int)type), key->key,
                              key->use == CN_KEY_IN_PLACE_OF_FILE ? ", or \"file\"" : "");
}

static bool report_misplaced(const CnSceneLoader* loader, const CnJson* member,
                             const CnSceneShapeKey* key) {
    return cn_report_error_at(loader->errors, member,
                              key->use == CN_KEY_IN_PLACE_OF_FILE
                                  ? "%s and \"file\" are both given; give one of them"
                                  : "%s applies to a file, and the key \"file\" is missing",
                              key->key);
}

// All keys of the type must be present, and no others. Of the keys that a file replaces, the first
// missing one is reported.
static bool check_shape_keys(const CnSceneLoader* loader, const CnJson* value, CnShapeType type) {
    bool has_file = cn_json_member(value, "file") != NULL;
    bool ok = true;
    for (int i = 0; i < cn_scene_shape_key_count; ++i) {
        const CnSceneShapeKey* key = &cn_scene_shape_keys[i];
        const CnJson* member = cn_json_member(value, key->key);
        bool has = cn_scene_shape_has_key(type, key->key);
        bool fits = key->use == CN_KEY_ALWAYS || has_file == (key->use == CN_KEY_WITH_FILE);
        if (member != NULL && !has) {
            ok = cn_report_error_at(loader->errors, member, "a %s has no %s",
                                    cn_scene_shape_type_name((int)type), key->key);
        } else if (member != NULL && !fits) {
            ok = report_misplaced(loader, member, key);
        } else if (member == NULL && has && fits && key->required && ok) {
            ok = report_missing(loader, value, type, key);
        }
    }
    return ok;
}

// ---- what they hold ----

static bool read_size(const CnSceneLoader* loader, const CnJson* value, CnShapeDef* def) {
    double size[3] = {0};
    int count = def->type == CN_SHAPE_HEIGHT_FIELD ? 2 : 3;
    bool ok = cn_read_numbers(value, "m", count, size, loader->errors);
    def->size = cn_vec3(size[0], size[1], size[2]);
    return ok;
}

static bool read_points(CnSceneLoader* loader, const CnJson* value, CnShapeDef* def) {
    if (!cn_read_type(value, CN_JSON_ARRAY, "an array of points", loader->errors)) {
        return false;
    }
    CnVec3* points = CN_ARENA_NEW(&loader->scratch, CnVec3, value->count);
    if (points == NULL) {
        return cn_report_no_memory(loader->errors);
    }
    bool ok = true;
    for (const CnJson* element = value->first; element != NULL; element = element->next) {
        double point[3] = {0};
        ok = cn_read_numbers(element, "m", 3, point, loader->errors) && ok;
        points[element->index] = cn_vec3(point[0], point[1], point[2]);
    }
    def->points = points;
    def->point_count = value->count;
    return ok;
}

static bool read_triangle(const CnSceneLoader* loader, const CnJson* value, int triangle[3]) {
    if (value->type != CN_JSON_ARRAY || value->count != 3) {
        return cn_report_error_at(
            loader->errors, value,
            "triangles[%d] must be an array of 3 indices of points, counted from 0", value->index);
    }
    bool ok = true;
    for (const CnJson* element = value->first; element != NULL; element = element->next) {
        ok = cn_read_integer(element, &triangle[element->index], loader->errors) && ok;
    }
    return ok;
}

static bool read_triangles(CnSceneLoader* loader, const CnJson* value, CnShapeDef* def) {
    if (!cn_read_type(value, CN_JSON_ARRAY, "an array of triangles", loader->errors)) {
        return false;
    }
    int(*triangles)[3] =
        cn_arena_allocate(&loader->scratch, (size_t)value->count, sizeof *triangles);
    if (triangles == NULL) {
        return cn_report_no_memory(loader->errors);
    }
    bool ok = true;
    for (const CnJson* element = value->first; element != NULL; element = element->next) {
        ok = read_triangle(loader, element, triangles[element->index]) && ok;
    }
    def->triangles = (const int(*)[3])triangles;
    def->triangle_count = value->count;
    return ok;
}

// The number of values per row: that of the first row. 0 after an error was reported.
static int count_columns(const CnSceneLoader* loader, const CnJson* value) {
    int columns = 0;
    for (const CnJson* row = value->first; row != NULL; row = row->next) {
        if (!cn_read_type(row, CN_JSON_ARRAY, "an array of numbers", loader->errors)) {
            return 0;
        }
        if (row->index > 0 && row->count != columns) {
            cn_report_error_at(loader->errors, row,
                               "heights[%d] has %d numbers; the first row has %d", row->index,
                               row->count, columns);
            return 0;
        }
        columns = row->count;
    }
    if (columns == 0) {
        cn_report_error_at(loader->errors, value,
                           "heights holds no numbers; it must be an array of rows of numbers");
    }
    return columns;
}

static bool read_heights(CnSceneLoader* loader, const CnJson* value, CnShapeDef* def) {
    if (!cn_read_type(value, CN_JSON_ARRAY, "an array of rows of numbers", loader->errors)) {
        return false;
    }
    int columns = count_columns(loader, value);
    if (columns == 0) {
        return false;
    }
    double* heights = CN_ARENA_NEW(&loader->scratch, double, (size_t)columns*(size_t)value->count);
    if (heights == NULL) {
        return cn_report_no_memory(loader->errors);
    }
    bool ok = true;
    for (const CnJson* row = value->first; row != NULL; row = row->next) {
        double* first = &heights[(size_t)row->index * (size_t)columns];
        ok = cn_read_numbers(row, "m", columns, first, loader->errors) && ok;
    }
    def->heights = heights;
    def->columns = columns;
    def->rows = value->count;
    return ok;
}

// Checks a grid, from heights or from a file, before the world does: the world's message counts
// rows and columns, which a file does not name.
static bool check_grid(const CnSceneLoader* loader, const CnJson* source, const CnShapeDef* def) {
    char shown[CN_SHOWN_SIZE];
    bool is_file = source->type == CN_JSON_STRING;
    return (def->rows >= 2 && def->columns >= 2) ||
           cn_report_error_at(
               loader->errors, source,
               "%s%sa height field needs at least 2 rows of 2 heights; this one has %d of %d",
               is_file ? cn_text_show(source->string, shown) : "", is_file ? ": " : "", def->rows,
               def->columns);
}

bool cn_scene_read_shape(CnSceneLoader* loader, const CnJson* value, CnShapeDef* out) {
    CnSceneShapeFields fields = {.def = cn_shape_def_default(CN_SHAPE_SPHERE)};
    CnShapeDef* def = &fields.def;
    if (!cn_fields_read(&cn_scene_shape_table, value, &fields, loader->errors) ||
        !check_shape_keys(loader, value, def->type)) {
        return false;
    }
    bool ok = true;
    if (fields.rotation != NULL) {
        ok = cn_scene_read_rotation(loader, fields.rotation, &def->rotation);
    }
    if (fields.size != NULL) {
        ok = read_size(loader, fields.size, def) && ok;
    }
    if (fields.points != NULL) {
        ok = read_points(loader, fields.points, def) && ok;
    }
    if (fields.triangles != NULL) {
        ok = read_triangles(loader, fields.triangles, def) && ok;
    }
    if (fields.heights != NULL) {
        ok = read_heights(loader, fields.heights, def) && ok;
    }
    if (fields.file != NULL) {
        ok = cn_scene_load_shape_file(loader, &fields) && ok;
    }
    if (ok && def->type == CN_SHAPE_HEIGHT_FIELD) {
        ok = check_grid(loader, fields.file != NULL ? fields.file : fields.heights, def);
    }
    ok = cn_scene_read_material(loader, value, "material", fields.material, &def->material) && ok;
    *out = *def;
    return ok;
}
