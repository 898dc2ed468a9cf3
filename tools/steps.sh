# SPDX-License-Identifier: MIT
# What the scripts behind the make targets share: saying which step begins, building without a silent
# minute, running tests, and counting them. To be sourced, at the top of the tree; `jobs` is set.
#
# Counts go to a file, a line "PASSED FAILED SKIPPED" each, so that programs that run side by side
# can be added up. Where NINHO_TALLY names a file, the sum is added to that one, too. It is taken out of
# the environment, so that a test that runs these scripts does not add to the sum that it is counted in.
outer_tally=${NINHO_TALLY:-}
unset NINHO_TALLY

step() { # TEXT...
    printf '\n== %s\n' "$*"
}

# Keeps every line but those of a build's progress: of these, one for each tenth of the way.
show_progress() { # NAME
    shown=-1
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
        '['*'%] '*)
            percent=${line#[}
            percent=${percent%%\%*}
            tenth=$((${percent##* } / 10))
            if [ "$tenth" -gt "$shown" ]; then
                shown=$tenth
                echo "$1: $((tenth * 10)) % built"
            fi
            ;;
        'Consolidate compiler generated dependencies'*) ;;
        *) printf '%s\n' "$line" ;;
        esac
    done
}

# Configures a preset; what CMake says is shown where something is left out or wrong.
configure() { # PRESET [CMAKE-ARGUMENT...]
    preset=$1
    shift
    mkdir -p build
    echo "$preset: configure"
    cmake --preset "$preset" "$@" >"build/$preset.log" || {
        cat "build/$preset.log"
        return 1
    }
}

# Builds a preset that is configured: all of it, or these targets.
build() { # PRESET [TARGET...]
    preset=$1
    shift
    {
        cmake --build --preset "$preset" -j "$jobs" ${1:+-t} "$@" -- --no-print-directory 2>&1 ||
            echo "$preset: the build failed"
    } | show_progress "$preset" | tee "build/$preset.log"
    ! tail -n 1 "build/$preset.log" | grep -qx "$preset: the build failed"
}

# ---- Counting -----------------------------------------------------------------------------------

tally_begin() {
    mkdir -p build
    tally_start=$(date +%s)
    tally_file=$(mktemp build/tally.XXXXXX)
    trap 'rm -f "$tally_file"' EXIT
}

tally_add() { # PASSED FAILED SKIPPED
    echo "$1 $2 $3" >>"$tally_file"
}

# Runs CTest, and counts its tests. One that ended without its list of results is one failure.
suite() { # CTEST-ARGUMENT...
    list=$(mktemp)
    ctest "$@" -j "$jobs" --output-on-failure --no-tests=error --output-junit "$list" |
        grep --line-buffered -v '^ *Start '
    # <testsuite tests="12" failures="1" disabled="0" skipped="0">, an attribute on each line
    counts=$(awk -F '"' '/<testcase/ { exit }
        /^\ttests=/ { n = $2 }
        /^\tfailures=/ { failed = $2 }
        /^\t(disabled|skipped)=/ { skipped += $2 }
        END { if (n != "") print n - failed - skipped, failed, skipped + 0 }' "$list")
    rm -f "$list"
    # shellcheck disable=SC2086 # three numbers
    tally_add ${counts:-0 1 0}
    case $counts in *' 0 '*) ;; *) return 1 ;; esac
}

# The closing line: how many passed; before it, how long that took. Fails if one failed, or none passed.
tally_end() { # NAME
    sum=$(awk '{ passed += $1; failed += $2; skipped += $3 }
        END { print passed + 0, failed + 0, skipped + 0 }' "$tally_file")
    [ -z "$outer_tally" ] || echo "$sum" >>"$outer_tally"
    seconds=$(($(date +%s) - tally_start))
    printf '\n%s took %d min %d s\n' "$1" $((seconds / 60)) $((seconds % 60))
    echo "$sum" | awk '{
        print $1 " passed, " $2 " failed" ($3 ? ", " $3 " skipped" : "")
        exit $2 > 0 || $1 == 0
    }'
}
