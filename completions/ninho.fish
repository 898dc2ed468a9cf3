# SPDX-License-Identifier: MIT
# Completion of ninho's command line for fish. The tool itself says what a word may become.

function __ninho_offers
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l before ''
    # What is offered for --name=value is the value; fish wants the whole word.
    string match -qr -- '^--[^=]*=' $typed; and set before (string replace -r '=.*' '=' -- $typed)
    for line in ($words[1] __complete $words[2..-1] "$typed" 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path (string replace -- $before '' $typed) | string replace -r '^' -- $before
            case ':folders'
                __fish_complete_directories (string replace -- $before '' $typed) '' | string replace -r '^' -- $before
            case '*'
                echo -- $before$line
        end
    end
end

complete -c ninho -f -a '(__ninho_offers)'
