// scene_load_files.c - loads shapes and series that a scene file takes from other files.
//
// The data becomes points, triangles, heights and samples of the scene, so that a saved scene needs
// no other file.
#include "geometry/mass_properties.h"
#include "geometry/triangle_mesh.h"
#include "io/mesh/height_file.h"
#include "io/mesh/mesh_file.h"
#include "io/scene/scene_loader.h"
#include "io/text/json_parser.h"
#include "io/text/series_file.h"
#include "io/text/text.h"
#include "world/validate.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const CnAllocator heap = {0};

const char* cn_scene_find_file(CnSceneLoader* loader, const CnJson* value, const char* what) {
    const char* name = NULL;
    if (!cn_read_text(value, &name, loader->errors)) {
        return NULL;
    }
    if (strcmp(name, "-") == 0) {
        cn_report_error_at(loader->errors, value, "%s cannot come from standard input", what);
        return NULL;
    }
    const char* slash = name[0] != '/' ? strrchr(loader->path, '/') : NULL;
    int folder_length = slash != NULL ? (int)(slash - loader->path) + 1 : 0;
    size_t size = (size_t)folder_length + strlen(name) + 1;
    char* path = CN_ARENA_NEW(&loader->scratch, char, size);
    if (path == NULL) {
        cn_report_no_memory(loader->errors);
        return NULL;
    }
    snprintf(path, size, "%.*s%s", folder_length, loader->path, name);
    return path;
}

static bool report_file(const CnSceneLoader* loader, const CnJson* file, const CnError* error) {
    const CnFieldPath here = {""};
    cn_scene_report_refused(loader, file, &here, error);
    return false;
}

// ---- meshes ----

static bool read_scale(const CnSceneLoader* loader, const CnJson* value, double scale[3]) {
    bool is_uniform = value->type == CN_JSON_NUMBER;
    if (!is_uniform && value->type != CN_JSON_ARRAY) {
        return cn_report_error_at(loader->errors, value,
                                  "scale is %s; it must be a number or an array of 3 numbers",
                                  cn_json_type_name(value->type));
    }
    if (is_uniform) {
        scale[0] = scale[1] = scale[2] = value->number;
    } else if (!cn_read_numbers(value, NULL, 3, scale, loader->errors)) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        if (!(scale[i] > 0.0)) {
            return cn_report_error_at(loader->errors, value,
                                      "scale is %g; it must be positive: a mirrored mesh would be "
                                      "inside out",
                                      scale[i]);
        }
    }
    return true;
}

static bool scale_vertices(const CnSceneLoader* loader, const CnJson* value, CnTriangleSoup* soup) {
    double scale[3];
    if (value == NULL) {
        return true;
    }
    if (!read_scale(loader, value, scale)) {
        return false;
    }
    for (int i = 0; i < soup->vertex_count; ++i) {
        CnVec3* v = &soup->vertices[i];
        *v = cn_vec3(scale[0] * v->x, scale[1] * v->y, scale[2] * v->z);
        double farthest = fmax(fabs(v->x), fmax(fabs(v->y), fabs(v->z)));
        if (!(farthest <= CN_MESH_MAX_COORDINATE)) {
            return cn_report_error_at(
                loader->errors, value,
                "scale moves a point to (%g, %g, %g) m; coordinates beyond %g m "
                "are refused",
                v->x, v->y, v->z, CN_MESH_MAX_COORDINATE);
        }
    }
    return true;
}

// The place function refuses points that span no solid, with or without "hull".
static bool check_convex(const CnSceneLoader* loader, const CnJson* file, const CnShapeDef* def,
                         const CnTriangleSoup* soup) {
    CnShape shape;
    CnMassProperties unit; // of density 1: the mass is the volume
    CnError error;
    char shown[CN_SHOWN_SIZE];
    if (cn_validate_shape(def, NULL, NULL, NULL) != CN_OK ||
        cn_shape_make(def, &heap, &shape, NULL) != CN_OK) {
        return true;
    }
    cn_shape_mass_properties(&shape, 1.0, &unit);
    cn_shape_free(&shape, &heap);
    CnStatus status = cn_mesh_check_convex(soup, unit.mass, &heap, &error);
    if (status == CN_NO_MEMORY) {
        return report_file(loader, file, &error);
    }
    return status == CN_OK ||
           cn_report_error_at(
               loader->errors, file,
               "\"%s\" cannot be used as it is (\"hull\": true uses its convex hull): %s",
               cn_text_show(file->string, shown), error.message);
}

static bool copy_points(CnSceneLoader* loader, const CnTriangleSoup* soup, CnShapeDef* def) {
    CnVec3* points = CN_ARENA_NEW(&loader->scratch, CnVec3, soup->vertex_count);
    if (points == NULL) {
        return cn_report_no_memory(loader->errors);
    }
    memcpy(points, soup->vertices, (size_t)soup->vertex_count * sizeof *points);
    def->points = points;
    def->point_count = soup->vertex_count;
    return true;
}

// Files contain many triangles without area. They have no normal and are dropped.
static bool copy_triangles(CnSceneLoader* loader, const CnJson* file, const CnTriangleSoup* soup,
                           CnShapeDef* def) {
    int count = 0;
    int(*triangles)[3] =
        cn_arena_allocate(&loader->scratch, (size_t)soup->triangle_count, sizeof *triangles);
    if (triangles == NULL) {
        return cn_report_no_memory(loader->errors);
    }
    for (int i = 0; i < soup->triangle_count; ++i) {
        const int* corner = soup->triangles[i].corner;
        if (!cn_triangle_is_flat(soup->vertices[corner[0]], soup->vertices[corner[1]],
                                 soup->vertices[corner[2]])) {
            memcpy(triangles[count++], corner, sizeof *triangles);
        }
    }
    def->triangles = (const int(*)[3])triangles;
    def->triangle_count = count;
    int total = soup->triangle_count + soup->flat_count;
    if (count < total) {
        char path[CN_JSON_PATH_SIZE];
        cn_json_path(file, path, sizeof path);
        cn_report_warning(loader->errors, file->line, path,
                          "%d of %d triangles have no area and were left out", total - count,
                          total);
    }
    return true;
}

static bool load_mesh(CnSceneLoader* loader, const char* path, CnSceneShapeFields* fields) {
    CnShapeDef* def = &fields->def;
    CnTriangleSoup soup;
    CnError error;
    bool takes_hull = false;
    if (fields->hull != NULL) {
        if (!cn_read_type(fields->hull, CN_JSON_BOOLEAN, "true or false", loader->errors)) {
            return false;
        }
        takes_hull = fields->hull->boolean;
    }
    if (cn_mesh_load(path, &heap, &soup, &error) != CN_OK) {
        return report_file(loader, fields->file, &error);
    }
    bool ok = scale_vertices(loader, fields->scale, &soup) && copy_points(loader, &soup, def);
    if (ok && def->type == CN_SHAPE_MESH) {
        ok = copy_triangles(loader, fields->file, &soup, def);
    } else if (ok && !takes_hull) {
        ok = check_convex(loader, fields->file, def, &soup);
    }
    cn_mesh_free(&soup, &heap);
    return ok;
}

// ---- height fields ----

static bool load_heights(CnSceneLoader* loader, const char* path, CnSceneShapeFields* fields) {
    CnShapeDef* def = &fields->def;
    CnHeightGrid grid;
    CnError error;
    if (cn_height_file_load(path, &heap, &grid, &error) != CN_OK) {
        return report_file(loader, fields->file, &error);
    }
    size_t count = (size_t)grid.columns * (size_t)grid.rows;
    double* heights = CN_ARENA_NEW(&loader->scratch, double, count);
    if (heights != NULL) {
        memcpy(heights, grid.heights, count * sizeof *heights);
        def->heights = heights;
        def->columns = grid.columns;
        def->rows = grid.rows;
    } else {
        cn_report_no_memory(loader->errors);
    }
    cn_height_grid_free(&grid, &heap);
    return heights != NULL;
}

bool cn_scene_load_shape_file(CnSceneLoader* loader, CnSceneShapeFields* fields) {
    const char* path = cn_scene_find_file(loader, fields->file, "a shape");
    if (path == NULL) {
        return false;
    }
    return fields->def.type == CN_SHAPE_HEIGHT_FIELD ? load_heights(loader, path, fields)
                                                     : load_mesh(loader, path, fields);
}

// ---- series ----

bool cn_scene_load_series_file(CnSceneLoader* loader, const CnJson* value, CnSeriesDef* def) {
    const char* path = cn_scene_find_file(loader, value, "a series");
    CnSeriesDef read;
    CnError error;
    if (path == NULL) {
        return false;
    }
    if (cn_series_load_from(path, &heap, &read, &error) != CN_OK) {
        return report_file(loader, value, &error);
    }
    size_t count = (size_t)read.count;
    double* times = CN_ARENA_NEW(&loader->scratch, double, count);
    double* values = CN_ARENA_NEW(&loader->scratch, double, count);
    bool ok = times != NULL && values != NULL;
    if (ok) {
        memcpy(times, read.times, count * sizeof *times);
        memcpy(values, read.values, count * sizeof *values);
        def->count = read.count;
        def->times = times;
        def->values = values;
    }
    cn_series_release(&read, &heap);
    return ok || cn_report_no_memory(loader->errors);
}
