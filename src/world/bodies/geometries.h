// geometries.h - the hulls, meshes and height fields of a world, by id.
#pragma once

#include "world/world.h"

// Whether the def's geometry, if it names one, is there and of the def's type.
CnStatus cn_world_check_geometry(const CnWorld* world, const CnShapeDef* def, CnError* error);

// From a valid def whose geometry was checked; that of the def is shared, another one built.
CnStatus cn_world_make_shape(const CnWorld* world, const CnShapeDef* def, CnShape* shape,
                             CnError* error);

// Gives the geometry of a new shape its id, if it has none yet. False: no memory.
bool cn_world_enlist_geometry(CnWorld* world, const CnShape* shape);

// Frees the shape; what goes with it loses its id. undo: as if it had never had one, when the shape
// is the last that was made.
void cn_world_free_shape(CnWorld* world, CnShape* shape, bool undo);

// The null id for shapes without.
CnGeometryId cn_world_geometry_id(const CnWorld* world, const CnShape* shape);
