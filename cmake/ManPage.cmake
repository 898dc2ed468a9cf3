# SPDX-License-Identifier: MIT
# cmake -DLOWDOWN=PROGRAM -DPAGE=NAME.SECTION.md -DOUTPUT=FILE -DVERSION=V -P ManPage.cmake
# Makes one manual page.
get_filename_component(name "${PAGE}" NAME)
string(REGEX MATCH "^(.*)\\.([0-9])\\.md$" matched "${name}")
if(NOT matched)
    message(FATAL_ERROR "${PAGE}: a manual page is called NAME.SECTION.md")
endif()
string(TOUPPER "${CMAKE_MATCH_1}" title)
execute_process(
    COMMAND "${LOWDOWN}" -s -Tman --out-no-smarty -M "title=${title}"
            -M "section=${CMAKE_MATCH_2}" -M "source=ninho ${VERSION}" "${PAGE}"
    OUTPUT_FILE "${OUTPUT}"
    COMMAND_ERROR_IS_FATAL ANY)
