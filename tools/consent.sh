# SPDX-License-Identifier: MIT
# What the scripts that install or download share: whether they may. To be sourced.
#   NINHO_SETUP=auto   they do, and say what and how many megabytes (the default)
#   NINHO_SETUP=ask    they ask first, at a terminal; elsewhere as never
#   NINHO_SETUP=never  nothing is installed or downloaded; they print the command that would
case ${NINHO_SETUP:=auto} in
auto | ask | never) ;;
*)
    echo "$0: NINHO_SETUP=$NINHO_SETUP: auto, ask or never is wanted" >&2
    exit 2
    ;;
esac

# Whether there is any use in finding out what it would take.
may_begin() {
    [ "$NINHO_SETUP" = auto ] || { [ "$NINHO_SETUP" = ask ] && [ -t 0 ]; }
}

# Asks, if that is wanted; whether to go on.
consents() { # QUESTION
    [ "$NINHO_SETUP" = ask ] || return 0
    printf '%s [y/N] ' "$1" >&2
    read -r answer || answer=
    case $answer in [yY]*) ;; *) return 1 ;; esac
}
