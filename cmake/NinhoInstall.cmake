# SPDX-License-Identifier: MIT
# What `make install` puts where.
include(CMakePackageConfigHelpers)

install(TARGETS ninho ninho_static EXPORT ninhoTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/ninho DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h")

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

# The hyphenator, static only: <ninho/hyphen/hyphen.h>, through ninho-hyphen.pc.
if(TARGET ninho_hyphen)
    install(TARGETS ninho_hyphen ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    foreach(header exceptions hyphen languages text)
        install(FILES apps/hyphen/${header}.h
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ninho/hyphen)
    endforeach()
    set(pc_lmdb "")
    if(LMDB_INCLUDE_DIR AND LMDB_LIBRARY)
        set(pc_lmdb " -llmdb")
    endif()
    configure_file(cmake/ninho-hyphen.pc.in "${PROJECT_BINARY_DIR}/ninho-hyphen.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/ninho-hyphen.pc"
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

# Sets between hosts, likewise: <ninho/sets/sets.h>, through ninho-sets.pc.
if(TARGET ninho_sets)
    install(TARGETS ninho_sets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(FILES apps/sets/sets.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ninho/sets)
    configure_file(cmake/ninho-sets.pc.in "${PROJECT_BINARY_DIR}/ninho-sets.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/ninho-sets.pc"
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

# k-mers, likewise: <ninho/kmer/kmer.h>, through ninho-kmer.pc.
if(TARGET ninho_kmer)
    install(TARGETS ninho_kmer ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    foreach(header kmer reader)
        install(FILES apps/kmer/${header}.h
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ninho/kmer)
    endforeach()
    set(pc_hts "")
    if(NINHO_HTSLIB_LINKS)
        set(pc_hts " -lhts")
    endif()
    configure_file(cmake/ninho-kmer.pc.in "${PROJECT_BINARY_DIR}/ninho-kmer.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/ninho-kmer.pc"
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

# Routing, likewise: <ninho/routing/tree.h>, through ninho-routing.pc.
if(TARGET ninho_routing)
    install(TARGETS ninho_routing ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    foreach(header geo network router tree)
        install(FILES apps/routing/${header}.h
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ninho/routing)
    endforeach()
    configure_file(cmake/ninho-routing.pc.in "${PROJECT_BINARY_DIR}/ninho-routing.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/ninho-routing.pc"
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

# Filters of other systems, likewise: <ninho/foreign/parquet.h>, through ninho-foreign.pc.
if(TARGET ninho_foreign)
    install(TARGETS ninho_foreign ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    foreach(header cassandra parquet)
        install(FILES apps/foreign/${header}.h
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ninho/foreign)
    endforeach()
    configure_file(cmake/ninho-foreign.pc.in "${PROJECT_BINARY_DIR}/ninho-foreign.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/ninho-foreign.pc"
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

# The filter policy for LevelDB, likewise: <ninho/leveldb/ninho_leveldb.h>, through ninho-leveldb.pc.
if(TARGET ninho_leveldb)
    install(TARGETS ninho_leveldb ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(FILES integrations/leveldb/ninho_leveldb.h
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
    install(FILES completions/_ninho
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()
