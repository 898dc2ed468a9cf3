# SPDX-License-Identifier: MIT
# Completion of ninho's command line for bash.

_ninho_verbs='plan create build add remove check info verify union hyphenate kmer diff common'
_ninho_verbs="$_ninho_verbs serve-set route parquet cassandra study bench help"

# Prints the options of a verb.
_ninho_options()
{
    local size='--kind --capacity --fpr'
    local identity='--seed --hash --key-file --type --meta --checked'
    local family='--bits --hashes --k-rule --base --growth --max-capacity --tag-bits --arity'
    family="$family --original --slots --bucket --window --choice --search --max-kicks --budget"
    family="$family --pairing --set --table-slots"
    family="$family --functions --tables --stash --max-moves --no-huge"
    local keys='-0 --null --crlf'
    local peer='--key-file --max-memory --timeout'

    case $1 in
    plan) echo "$size $family --universe --json --help" ;;
    create) echo "$size $identity $family --json --force --help" ;;
    build) echo "$size $identity $family $keys --threads --stats --json --force --help" ;;
    add | remove) echo "--key-file --no-huge $keys --threads --json --help" ;;
    check)
        echo "--key-file --no-huge --mmap $keys -v --invert -c --count -q --quiet --json" \
            '--threads --help'
        ;;
    info) echo '--key-file --json --help' ;;
    verify) echo '--key-file -q --quiet --json --help' ;;
    union) echo '--key-file --force --json --help' ;;
    hyphenate)
        echo '--lang --patterns --exceptions --left --right --max-letters --data --mark --html' \
            '--words --json --every-run --store --store-file --filter --fpr --forget --stats' \
            '--list-languages --force --help'
        ;;
    kmer)
        echo "$size $family -k --k --forward --threads --json --min-fraction --include" \
            '--exclude --paired --both --output -c --count --summary --mmap --stats --force' \
            '--seed --hash --key-file --meta --samples --exact --help'
        ;;
    diff)
        echo "-1 --hide-here -2 --hide-there --method --fpr --exact --both $peer $keys --json --help"
        ;;
    common) echo "-c --count $peer $keys --json --help" ;;
    serve-set) echo "--output $peer $keys --help" ;;
    route)
        echo '--kind --fpr --seed --requests --absent --ttl --join --leave --moves --hostile' \
            '--name-bytes --check --svg --draw --csv --json --threads --nodes --fan-out' \
            '--resources --copies --levels --geometry --divisions --devices --help'
        ;;
    parquet) echo '--json --export -o --output --key-file --help' ;;
    cassandra) echo '--keys --type --version --write --fpr --json --help' ;;
    study) echo '--list --full --tiny --seed --again --data --out --source --help' ;;
    bench) echo '--help' ;;
    '') echo '--help --version' ;;
    esac
}

# Prints the words that the value of an option of a verb can be; "file" where it is a file, nothing where it is a
# number or text of the caller's.
_ninho_values()
{
    case $1 in
    --kind)
        echo 'bloom blocked counting cuckoo quotient fuse compact scalable' \
            'chain probe cuckoo-table'
        ;;
    --base) echo 'bloom blocked cuckoo' ;;
    --slots) echo 'buckets windows' ;;
    --window) echo '2 3 4' ;;
    --choice) echo 'random emptier' ;;
    --search) echo 'walk bfs' ;;
    --pairing) echo 'xor offset' ;;
    --hash) echo 'xxh3 siphash xxh64' ;;
    --type)
        if [[ $2 == cassandra ]]; then echo 'text int bigint uuid blob'; else echo 'bytes int64'; fi
        ;;
    --version) echo 'na ma' ;;
    --k-rule) echo 'best floor' ;;
    --arity) echo '3 4' ;;
    --tables) echo '1 2' ;;
    --filter) echo 'bloom blocked counting cuckoo quotient fuse compact scalable' ;;
    --geometry) echo 'sized same' ;;
    --store) echo 'compiled memory lmdb none' ;;
    --method) echo 'auto sketch list bloom' ;;
    --lang) ninho hyphenate --list-languages 2>/dev/null | cut -d ' ' -f 1 ;;
    --key-file | --patterns | --exceptions | --data | --store-file | --include | --exclude | \
        --output | -o | --keys | --svg) echo file ;;
    esac
}

_ninho_takes_value()
{
    case $1 in
    --kind | --capacity | --fpr | --seed | --hash | --key-file | --type | --meta | --bits | \
        --hashes | --k-rule | --base | --growth | --max-capacity | --tag-bits | --arity | \
        --slots | --bucket | --window | --choice | --search | --max-kicks | --budget | \
        --pairing | --table-slots | --functions | --tables | --stash | --max-moves | \
        -k | --k | --min-fraction | --include | --exclude | --output | -o | --samples | --keys | --version | \
        --universe | --threads | --method | --timeout | --max-memory | --lang | --patterns | --exceptions | --left | --right | \
        --max-letters | --data | --mark | --store | --store-file | --filter | --forget | \
        --requests | --absent | --ttl | --join | --leave | --moves | --hostile | --name-bytes | \
        --svg | --draw | --nodes | --fan-out | --resources | --copies | --levels | --geometry | \
        --divisions | --devices) return 0 ;;
    esac
    return 1
}

_ninho()
{
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local verb='' i values

    COMPREPLY=()
    # bash cuts --kind=bloom into three words.
    if [[ $current == '=' ]]; then
        current=''
    elif [[ $previous == '=' ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} != -* && ${COMP_WORDS[i]} != '=' ]]; then
            verb=${COMP_WORDS[i]}
            break
        fi
    done

    if [[ $previous == -- ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    elif [[ -n $verb ]] && _ninho_takes_value "$previous"; then
        values=$(_ninho_values "$previous" "$verb")
        if [[ $values == file ]]; then
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
        elif [[ -n $values ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
        fi
    elif [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_ninho_options "$verb")" -- "$current")
    elif [[ -z $verb || $verb == help ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$_ninho_verbs" -- "$current")
    elif [[ $verb != plan && $verb != study && $verb != bench ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
}

complete -F _ninho ninho
