# viewer.cmake - the viewer's page as a C file of the program: bundled by esbuild, which npm brings.
#
# Sets viewer_page to the C file. Without npm the page is empty, and the program says so when it is
# asked for the viewer.
find_program(NPM npm)
find_program(NODE NAMES node nodejs)
find_package(PkgConfig REQUIRED)
pkg_check_modules(MICROHTTPD REQUIRED IMPORTED_TARGET libmicrohttpd)
pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)

set(viewer_page ${PROJECT_BINARY_DIR}/viewer_page.c)
file(GLOB viewer_sources CONFIGURE_DEPENDS viewer/src/*.js viewer/*.css viewer/*.html viewer/*.mjs)
if(NPM AND NODE)
    add_custom_command(OUTPUT ${viewer_page}
        COMMAND ${PROJECT_SOURCE_DIR}/tools/build_viewer.sh ${viewer_page}
        DEPENDS ${viewer_sources} viewer/package-lock.json tools/build_viewer.sh
        COMMENT "Bundling the viewer")
else()
    message(STATUS "npm is not installed: the program has no viewer (Debian: npm)")
    file(WRITE ${viewer_page} "#include \"serve/page.h\"\n\nconst unsigned char viewer_page[] = {0};\n"
        "const size_t viewer_page_size = 0;\n")
endif()
