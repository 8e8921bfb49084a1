# hdf5_library.cmake - libcairn_hdf5: FCLib's files, in a library that only those who ask for it load.
#
# It needs functions of libcairn that libcairn.so does not export. The shared one therefore has copies
# of its own of them, taken from libcairn.a and hidden; none of them keeps any state. Both libraries
# are of one version and made by one build.
file(GLOB CAIRN_HDF5_SOURCES CONFIGURE_DEPENDS src/fclib/*.c)
if(HDF5C_FOUND)
    list(FILTER CAIRN_HDF5_SOURCES EXCLUDE REGEX "fclib_absent\\.c$")
else() # enough to refuse with a sentence: for the program, never installed
    set(CAIRN_HDF5_SOURCES src/fclib/fclib_absent.c src/fclib/fclib_file.c)
endif()
add_library(cairn_hdf5_objects OBJECT ${CAIRN_HDF5_SOURCES})
target_include_directories(cairn_hdf5_objects PRIVATE include src)
target_link_libraries(cairn_hdf5_objects PRIVATE cairn_flags
    $<$<BOOL:${HDF5C_FOUND}>:HDF5C::HDF5C>)

add_library(cairn_hdf5_static STATIC $<TARGET_OBJECTS:cairn_hdf5_objects>)
target_link_libraries(cairn_hdf5_static PRIVATE $<$<BOOL:${HDF5C_FOUND}>:HDF5C::HDF5C>
    PUBLIC cairn_static)
set_target_properties(cairn_hdf5_static PROPERTIES OUTPUT_NAME cairn_hdf5 EXPORT_NAME hdf5_static)
add_library(cairn::hdf5_static ALIAS cairn_hdf5_static)

if(HDF5C_FOUND)
    add_library(cairn_hdf5_shared SHARED $<TARGET_OBJECTS:cairn_hdf5_objects>)
    target_link_libraries(cairn_hdf5_shared PUBLIC cairn_shared
        PRIVATE HDF5C::HDF5C $<BUILD_INTERFACE:cairn_static>)
    target_link_options(cairn_hdf5_shared PRIVATE -Wl,--exclude-libs,libcairn.a)
    set_target_properties(cairn_hdf5_shared PROPERTIES OUTPUT_NAME cairn_hdf5 EXPORT_NAME hdf5
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
        INSTALL_RPATH $ORIGIN) # finds the libcairn beside it
    add_library(cairn::hdf5 ALIAS cairn_hdf5_shared)
endif()
