# SPDX-License-Identifier: MIT
# What `make install` puts where.
include(CMakePackageConfigHelpers)

install(TARGETS ninho ninho_static EXPORT ninhoTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/ninho DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ninho)
install(EXPORT ninhoTargets NAMESPACE ninho:: DESTINATION ${package_dir})
configure_package_config_file(cmake/ninhoConfig.cmake.in
    "${PROJECT_BINARY_DIR}/ninhoConfig.cmake" INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/ninhoConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/ninhoConfig.cmake"
              "${PROJECT_BINARY_DIR}/ninhoConfigVersion.cmake"
    DESTINATION ${package_dir})

# ninho.pc names its folders relative to itself, so that an installed tree can be moved.
file(RELATIVE_PATH pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
configure_file(cmake/ninho.pc.in "${PROJECT_BINARY_DIR}/ninho.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/ninho.pc"
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The applications, static only: each as <ninho/APP/HEADER.h>, through ninho-APP.pc, which may use
# variables of ours.
function(ninho_install_app app)
    if(NOT TARGET ninho_${app})
        return()
    endif()
    install(TARGETS ninho_${app} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    foreach(header IN LISTS ARGN)
        install(FILES apps/${app}/${header}.h
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ninho/${app})
    endforeach()
    configure_file(cmake/ninho-${app}.pc.in "${PROJECT_BINARY_DIR}/ninho-${app}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/ninho-${app}.pc"
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

set(pc_lmdb "")
if(LMDB_INCLUDE_DIR AND LMDB_LIBRARY)
    set(pc_lmdb " -llmdb")
endif()
set(pc_hts "")
if(NINHO_HTSLIB_LINKS)
    set(pc_hts " -lhts")
endif()
ninho_install_app(foreign cassandra parquet)
ninho_install_app(hyphen exceptions hyphen languages text)
ninho_install_app(kmer kmer reader)
ninho_install_app(routing geo network router tree)
ninho_install_app(sets sets)

# The filter policy for LevelDB, likewise: <ninho/leveldb/HEADER.h>, through ninho-leveldb.pc.
if(TARGET ninho_leveldb)
    install(TARGETS ninho_leveldb ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(FILES integrations/leveldb/block.h integrations/leveldb/ninho_leveldb.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ninho/leveldb)
    configure_file(cmake/ninho-leveldb.pc.in "${PROJECT_BINARY_DIR}/ninho-leveldb.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/ninho-leveldb.pc"
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

if(TARGET ninho-cli)
    install(TARGETS ninho-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
foreach(page IN LISTS NINHO_MAN_PAGES)
    string(REGEX REPLACE ".*\\." "" section "${page}")
    install(FILES "${page}" DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
if(EXISTS "${PROJECT_SOURCE_DIR}/completions/ninho.bash")
    install(FILES completions/ninho.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ninho)
    install(FILES completions/ninho.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
    install(FILES completions/_ninho
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()
