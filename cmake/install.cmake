# install.cmake - what `cmake --install` puts where: headers, libraries, program, package files, man pages,
# completion, scenes with their schema, documents and examples.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)

install(DIRECTORY include/cairn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(kinds static shared)
if(HDF5C_FOUND)
    list(APPEND kinds hdf5_static hdf5_shared)
endif()
foreach(kind ${kinds})
    install(TARGETS cairn_${kind} EXPORT cairn-${kind})
    install(EXPORT cairn-${kind} NAMESPACE cairn:: DESTINATION ${package_folder})
endforeach()
if(TARGET cairn)
    install(TARGETS cairn)
    install(DIRECTORY ${description_folder}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
    install(DIRECTORY ${description_folder}/completions
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion)
    install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/cairn PATTERN builtin EXCLUDE)
endif()
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN CMakeLists.txt EXCLUDE)

configure_package_config_file(cmake/cairnConfig.cmake.in cairnConfig.cmake
    INSTALL_DESTINATION ${package_folder})
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(cairnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cairnConfig.cmake ${PROJECT_BINARY_DIR}/cairnConfigVersion.cmake
    cmake/FindAMD.cmake cmake/FindHDF5C.cmake DESTINATION ${package_folder})

# The way back from the .pc file to the prefix, so that an installed tree can be moved.
file(RELATIVE_PATH CAIRN_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" CAIRN_PC_PREFIX ${CAIRN_PC_PREFIX})
set(packages cairn)
if(HDF5C_FOUND)
    get_filename_component(name ${HDF5C_LIBRARY} NAME_WE)
    string(REGEX REPLACE "^lib" "-l" CAIRN_PC_HDF5 ${name})
    list(APPEND packages cairn_hdf5)
endif()
foreach(package ${packages})
    configure_file(cmake/${package}.pc.in ${package}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
