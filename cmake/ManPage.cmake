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
    COMMAND "${LOWDOWN}" -s -Tman --parse-no-super --out-no-smarty -M "title=${title}"
            -M "section=${CMAKE_MATCH_2}" -M "source=ninho ${VERSION}" "${PAGE}"
    OUTPUT_VARIABLE text
    RESULT_VARIABLE failed)
if(failed)
    message(FATAL_ERROR "${PAGE}: lowdown failed: ${failed}")
endif()

# troff may print a plain - as a hyphen, which no shell takes for an option's dash.
string(REGEX REPLACE "^\\.\\\\\"[^\n]*\n" "" text "${text}")
string(ASCII 1 mark)
string(REPLACE "\n.sp -" "\n.sp ${mark}" text "${text}")
string(REPLACE "--" "\\-\\-" text "${text}")
string(REPLACE " -" " \\-" text "${text}")
string(REPLACE "\\fB-" "\\fB\\-" text "${text}")
string(REPLACE "\\fC-" "\\fC\\-" text "${text}")
string(REPLACE "${mark}" "-" text "${text}")
file(WRITE "${OUTPUT}" "${text}")
