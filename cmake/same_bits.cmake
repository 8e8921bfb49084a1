# same_bits.cmake - programs built several times, to see that they say the same whoever compiles them.
#
#     cairn_same_bits_programs(NAME main.c library sources... LEVELS levels... [LIBRARIES libraries...])
#
# builds the program with gcc and clang at each level of optimisation, from the sources themselves,
# as same_bits/BUILD/NAME of the build folder, and sets programs to the paths. Objects are shared
# between programs, so a second one over the same library costs one object and one link per build.
#
#     cairn_same_bits_test(NAME ...)
#
# takes the same arguments and adds the test determinism/NAME, which compares their outputs.

find_program(CAIRN_GCC gcc REQUIRED)
find_program(CAIRN_CLANG clang REQUIRED)

set(CAIRN_SAME_BITS_COMPILERS ${CAIRN_GCC} ${CAIRN_CLANG})

# One rule per source and build, once per project: sets object to the file it makes. The flags are
# those of the library's own build, without its warnings and sanitizers.
function(cairn_same_bits_object source build compiler level)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
    set(object ${PROJECT_BINARY_DIR}/same_bits/${build}/${path}.o)
    set(object ${object} PARENT_SCOPE)
    get_property(known GLOBAL PROPERTY CAIRN_SAME_BITS_OBJECTS)
    if(object IN_LIST known)
        return()
    endif()
    set_property(GLOBAL APPEND PROPERTY CAIRN_SAME_BITS_OBJECTS ${object})
    cmake_path(GET object PARENT_PATH folder)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(OUTPUT ${object}
        COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${compiler} -std=c17 ${level} -ffp-contract=off -fno-math-errno -Wno-psabi
            "-I$<JOIN:$<TARGET_PROPERTY:cairn_objects,INCLUDE_DIRECTORIES>,;-I>"
            -I${PROJECT_SOURCE_DIR}/scenes
            "-D$<JOIN:$<TARGET_PROPERTY:cairn_objects,COMPILE_DEFINITIONS>,;-D>"
            -MD -MT ${object} -MF ${object}.d -c ${source} -o ${object}
        DEPENDS ${source} DEPFILE ${object}.d
        COMMENT "Building ${build}/${path}.o"
        COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

function(cairn_same_bits_programs name)
    cmake_parse_arguments(PARSE_ARGV 1 argument "" "" "LEVELS;LIBRARIES")
    set(programs)
    foreach(compiler ${CAIRN_SAME_BITS_COMPILERS})
        cmake_path(GET compiler FILENAME compiler_name)
        foreach(level ${argument_LEVELS})
            set(build ${compiler_name}${level})
            set(objects)
            foreach(source ${argument_UNPARSED_ARGUMENTS})
                cairn_same_bits_object(${source} ${build} ${compiler} ${level})
                list(APPEND objects ${object})
            endforeach()
            set(program ${PROJECT_BINARY_DIR}/same_bits/${build}/${name})
            add_custom_command(OUTPUT ${program}
                COMMAND ${compiler} ${objects} ${argument_LIBRARIES} -pthread -lm -o ${program}
                DEPENDS ${objects} COMMENT "Linking ${build}/${name}" VERBATIM)
            list(APPEND programs ${program})
        endforeach()
    endforeach()
    add_custom_target(same_bits_${name} ALL DEPENDS ${programs})
    set(programs ${programs} PARENT_SCOPE)
endfunction()

function(cairn_same_bits_test name)
    cairn_same_bits_programs(${name} ${ARGN})
    add_test(NAME determinism/${name}
        COMMAND ${CMAKE_COMMAND} -P ${PROJECT_SOURCE_DIR}/cmake/compare_outputs.cmake -- ${programs})
    set_tests_properties(determinism/${name} PROPERTIES TIMEOUT 600)
endfunction()
