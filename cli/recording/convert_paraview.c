// convert_paraview.c - a recording for ParaView: a .pvd file and a folder of .vtp files.
//
// Per frame two files: the bodies as triangles with body, speed and island, and the contact points
// with force, normal, gap and residual. Numbers are appended as raw bytes; VTK, "XML file formats".
#include "recording/convert.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- one .vtp file ----

typedef struct Vtp {
    Buffer xml;      // up to the appended bytes
    Buffer appended; // each array with its size before it
} Vtp;

static void vtp_array(Vtp* vtp, const char* type, const char* name, int components,
                      const void* data, size_t size) {
    uint64_t bytes = size;
    buffer_say(&vtp->xml,
               "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
               "offset=\"%zu\"/>\n",
               type, name, components, vtp->appended.size);
    buffer_put(&vtp->appended, &bytes, sizeof bytes);
    buffer_put(&vtp->appended, data, size);
}

static void vtp_begin(Vtp* vtp, int points, int verts, int polys) {
    vtp->xml.size = vtp->appended.size = 0;
    buffer_say(&vtp->xml, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                          "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n");
    buffer_say(&vtp->xml,
               "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"0\" "
               "NumberOfStrips=\"0\" NumberOfPolys=\"%d\">\n",
               points, verts, polys);
}

static bool vtp_write(Vtp* vtp, const char* path, CnError* error) {
    buffer_say(&vtp->xml, "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
    if (vtp->xml.failed || vtp->appended.failed) {
        return convert_fail_memory(error);
    }
    FILE* file = fopen(path, "wb");
    if (file == NULL) {
        return convert_fail(path, error);
    }
    bool ok = fwrite(vtp->xml.data, 1, vtp->xml.size, file) == vtp->xml.size &&
              fwrite(vtp->appended.data, 1, vtp->appended.size, file) == vtp->appended.size &&
              fputs("\n</AppendedData>\n</VTKFile>\n", file) >= 0;
    ok = fclose(file) == 0 && ok;
    return ok || convert_fail(path, error);
}

// ---- bodies and contacts of a frame ----

typedef struct Paraview {
    const Conversion* conversion;
    BodyMeshes meshes;
    Vtp vtp;
    Buffer points, corners, offsets, bodies, speeds, islands, asleep; // scratch
    Buffer index;                                                     // the .pvd file
    char folder[1024];                                                // with its path
    const char* folder_name;                                          // without
} Paraview;

static void clear(Paraview* out) {
    Buffer* all[] = {&out->points, &out->corners, &out->offsets, &out->bodies,
                     &out->speeds, &out->islands, &out->asleep};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        all[i]->size = 0;
    }
}

static void add_body(Paraview* out, const CnRecordedMotion* motion, int body, int64_t* first,
                     int64_t* corner) {
    const BodyMesh* mesh = &out->meshes.meshes[out->meshes.of_body[body]];
    int32_t number = body, island = motion->island;
    float speed = (float)cn_vec3_length(motion->velocity);
    uint8_t asleep = motion->asleep;
    for (int i = 0; i < mesh->point_count; ++i) {
        CnVec3 local = cn_vec3((double)mesh->points[i][0], (double)mesh->points[i][1],
                               (double)mesh->points[i][2]);
        CnVec3 world = cn_transform_point(motion->pose, local);
        const float point[3] = {(float)world.x, (float)world.y, (float)world.z};
        buffer_put(&out->points, point, sizeof point);
    }
    for (int i = 0; i < mesh->triangle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            int64_t index = *first + (int64_t)mesh->triangles[i][k];
            buffer_put(&out->corners, &index, sizeof index);
        }
        *corner += 3;
        buffer_put(&out->offsets, corner, sizeof *corner);
        buffer_put(&out->bodies, &number, sizeof number);
        buffer_put(&out->speeds, &speed, sizeof speed);
        buffer_put(&out->islands, &island, sizeof island);
        buffer_put(&out->asleep, &asleep, sizeof asleep);
    }
    *first += mesh->point_count;
}

static bool write_bodies(Paraview* out, const CnRecordedFrame* frame, const char* path,
                         CnError* error) {
    int64_t first = 0, corner = 0;
    Vtp* vtp = &out->vtp;
    clear(out);
    for (int i = 0; i < out->conversion->info->body_count; ++i) {
        if (out->meshes.of_body[i] >= 0) {
            add_body(out, &frame->bodies[i], i, &first, &corner);
        }
    }
    vtp_begin(vtp, (int)first, 0, (int)(corner / 3));
    buffer_say(&vtp->xml, "<Points>\n");
    vtp_array(vtp, "Float32", "position [m]", 3, out->points.data, out->points.size);
    buffer_say(&vtp->xml, "</Points>\n<Polys>\n");
    vtp_array(vtp, "Int64", "connectivity", 1, out->corners.data, out->corners.size);
    vtp_array(vtp, "Int64", "offsets", 1, out->offsets.data, out->offsets.size);
    buffer_say(&vtp->xml, "</Polys>\n<CellData>\n");
    vtp_array(vtp, "Int32", "body", 1, out->bodies.data, out->bodies.size);
    vtp_array(vtp, "Float32", "speed [m/s]", 1, out->speeds.data, out->speeds.size);
    vtp_array(vtp, "Int32", "island", 1, out->islands.data, out->islands.size);
    vtp_array(vtp, "UInt8", "asleep", 1, out->asleep.data, out->asleep.size);
    buffer_say(&vtp->xml, "</CellData>\n");
    return vtp_write(vtp, path, error);
}

// A vector of each contact, or a number.
static void contact_array(Paraview* out, const CnRecordedFrame* frame, const char* name,
                          size_t offset, int components) {
    out->points.size = 0;
    for (int i = 0; i < frame->contact_count; ++i) {
        const unsigned char* contact = (const unsigned char*)&frame->contacts[i];
        buffer_put(&out->points, contact + offset, (size_t)components * sizeof(float));
    }
    vtp_array(&out->vtp, "Float32", name, components, out->points.data, out->points.size);
}

static bool write_contacts(Paraview* out, const CnRecordedFrame* frame, const char* path,
                           CnError* error) {
    Vtp* vtp = &out->vtp;
    clear(out);
    for (int64_t i = 0; i < frame->contact_count; ++i) {
        int64_t end = i + 1;
        buffer_put(&out->corners, &i, sizeof i);
        buffer_put(&out->offsets, &end, sizeof end);
    }
    vtp_begin(vtp, frame->contact_count, frame->contact_count, 0);
    buffer_say(&vtp->xml, "<Points>\n");
    contact_array(out, frame, "position [m]", offsetof(CnRecordedContact, point), 3);
    buffer_say(&vtp->xml, "</Points>\n<Verts>\n");
    vtp_array(vtp, "Int64", "connectivity", 1, out->corners.data, out->corners.size);
    vtp_array(vtp, "Int64", "offsets", 1, out->offsets.data, out->offsets.size);
    buffer_say(&vtp->xml, "</Verts>\n<PointData>\n");
    contact_array(out, frame, "force [N]", offsetof(CnRecordedContact, force), 3);
    contact_array(out, frame, "normal", offsetof(CnRecordedContact, normal), 3);
    contact_array(out, frame, "gap [m]", offsetof(CnRecordedContact, gap), 1);
    contact_array(out, frame, "residual [m/s]", offsetof(CnRecordedContact, residual), 1);
    buffer_say(&vtp->xml, "</PointData>\n");
    return vtp_write(vtp, path, error);
}

// ---- the collection ----

static bool write_part(Paraview* out, const CnRecordedFrame* frame, int number, int part,
                       const char* name,
                       bool (*write)(Paraview*, const CnRecordedFrame*, const char*, CnError*),
                       CnError* error) {
    char path[1100];
    snprintf(path, sizeof path, "%s/%s_%06d.vtp", out->folder, name, number);
    buffer_say(&out->index, "<DataSet timestep=\"%.17g\" part=\"%d\" name=\"%s\" file=\"",
               frame->time, part, name);
    for (const char* at = out->folder_name; *at != '\0'; ++at) { // as XML has it
        const char* escaped = *at == '&'   ? "&amp;"
                              : *at == '<' ? "&lt;"
                              : *at == '"' ? "&quot;"
                                           : "";
        buffer_put(&out->index, escaped[0] != '\0' ? escaped : at,
                   escaped[0] != '\0' ? strlen(escaped) : 1);
    }
    buffer_say(&out->index, "/%s_%06d.vtp\"/>\n", name, number);
    return write(out, frame, path, error);
}

static bool write_frames(Paraview* out, CnError* error) {
    const Conversion* conversion = out->conversion;
    bool ok = true;
    buffer_say(&out->index, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                            "byte_order=\"LittleEndian\">\n<Collection>\n");
    for (int f = 0; f < conversion->info->frame_count && ok; ++f) {
        CnRecordedFrame frame;
        ok = cn_recording_read(conversion->recording, f, &frame, error) == CN_OK &&
             write_part(out, &frame, f, 0, "bodies", write_bodies, error) &&
             write_part(out, &frame, f, 1, "contacts", write_contacts, error);
    }
    buffer_say(&out->index, "</Collection>\n</VTKFile>\n");
    return ok && (!out->index.failed || convert_fail_memory(error));
}

static bool write_index(const Paraview* out, CnError* error) {
    const char* path = out->conversion->path;
    FILE* file = fopen(path, "wb");
    if (file == NULL) {
        return convert_fail(path, error);
    }
    bool ok = fwrite(out->index.data, 1, out->index.size, file) == out->index.size;
    ok = fclose(file) == 0 && ok;
    return ok || convert_fail(path, error);
}

// run.pvd has its files in the folder run.
static bool make_folder(Paraview* out, CnError* error) {
    const char* path = out->conversion->path;
    size_t length = strlen(path) - strlen(".pvd");
    if (length >= sizeof out->folder) {
        errno = ENAMETOOLONG;
        return convert_fail(path, error);
    }
    memcpy(out->folder, path, length);
    out->folder[length] = '\0';
    const char* slash = strrchr(out->folder, '/');
    out->folder_name = slash == NULL ? out->folder : slash + 1;
    return mkdir(out->folder, 0777) == 0 || errno == EEXIST || convert_fail(out->folder, error);
}

bool convert_to_paraview(const Conversion* conversion, CnError* error) {
    Paraview out = {.conversion = conversion};
    bool ok = make_folder(&out, error) && body_meshes_make(&out.meshes, conversion->info, error) &&
              write_frames(&out, error) && write_index(&out, error);
    Buffer* all[] = {&out.points,  &out.corners, &out.offsets, &out.bodies,  &out.speeds,
                     &out.islands, &out.asleep,  &out.index,   &out.vtp.xml, &out.vtp.appended};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        buffer_free(all[i]);
    }
    body_meshes_free(&out.meshes);
    return ok;
}
