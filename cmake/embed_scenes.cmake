# embed_scenes.cmake - writes the scenes below a folder as arrays of bytes into one C file.
#
# cmake -DFOLDER=scenes -DOUTPUT=embedded_scenes.c -P embed_scenes.cmake
# The program can then run them wherever it is, without looking for a folder.
file(GLOB scenes ${FOLDER}/*/*.json)
list(SORT scenes)

set(arrays "")
set(rows "")
foreach(scene ${scenes})
    cmake_path(GET scene STEM name)
    string(MAKE_C_IDENTIFIER "text_${name}" array)
    file(READ ${scene} bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "static const char ${array}[] = {${bytes}};\n")
    string(APPEND rows "    {\"${name}\", ${array}, sizeof ${array}},\n")
endforeach()

file(WRITE ${OUTPUT} "// Written by embed_scenes.cmake.\n#include \"embedded_scenes.h\"\n\n${arrays}
const EmbeddedScene embedded_scenes[] = {\n${rows}};
const int embedded_scene_count = (int)(sizeof embedded_scenes / sizeof embedded_scenes[0]);\n")
