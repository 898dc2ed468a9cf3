# SPDX-License-Identifier: MIT
# Completion of ninho's command line for bash. The tool itself says what a word may become.

_ninho()
{
    local -a words=()
    local word offered line i

    # bash cuts --kind=bloom into three words.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((${#words[@]})) && [[ $word == '=' || ${words[-1]} == --*= ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
    done
    word=${words[-1]}
    [[ $word != --*=* ]] || word=${word#*=}

    COMPREPLY=()
    offered=$("${COMP_WORDS[0]/#\~/$HOME}" __complete "${words[@]}" 2>/dev/null)
    while IFS= read -r line; do
        case $line in
        :files | :folders)
            compopt -o filenames 2>/dev/null
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(
                if [[ $line == :files ]]; then compgen -f -- "$word"; else compgen -d -- "$word"; fi
            )
            ;;
        ?*) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
    done <<<"$offered"
}

complete -F _ninho ninho
