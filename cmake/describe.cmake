# describe.cmake - what `cairn version` says, and man pages and completion from the program itself.

# header_version(OUTPUT HEADER NAMES...): the numbers that a header defines, with dots between.
function(header_version output header)
    set(version "")
    foreach(name ${ARGN})
        file(STRINGS ${header} line REGEX "^#define[ \t]+${name}[ \t]+[0-9]+")
        string(REGEX REPLACE ".*[ \t]([0-9]+).*" "\\1" number "${line}")
        list(APPEND version "${number}")
    endforeach()
    string(REPLACE ";" "." version "${version}")
    set(${output} "${version}" PARENT_SCOPE)
endfunction()

header_version(amd_version ${AMD_INCLUDE_DIR}/amd.h AMD_MAIN_VERSION AMD_SUB_VERSION AMD_SUBSUB_VERSION)
set(hdf5_version "none")
if(HDF5C_FOUND)
    header_version(hdf5_version ${HDF5C_INCLUDE_DIR}/H5public.h H5_VERS_MAJOR H5_VERS_MINOR H5_VERS_RELEASE)
endif()
set_source_files_properties(${PROJECT_SOURCE_DIR}/cli/cmd_version.c PROPERTIES COMPILE_DEFINITIONS
    "CAIRN_BUILD_TYPE=\"${CMAKE_BUILD_TYPE}\";CAIRN_AMD_VERSION=\"${amd_version}\";CAIRN_HDF5_VERSION=\"${hdf5_version}\"")

set(description_folder ${PROJECT_BINARY_DIR}/description)
add_custom_command(TARGET cairn POST_BUILD COMMAND cairn describe ${description_folder} VERBATIM)
