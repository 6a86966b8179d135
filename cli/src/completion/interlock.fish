# Completion of interlock for fish. Either source it, or put it into
# ~/.config/fish/completions/interlock.fish.
function __interlock_complete
    set -l typed (commandline -opc)
    set -l begun (commandline -ct)
    set -l answer ($typed[1] complete fish -- $typed[2..-1] (string unescape -- $begun; or echo -- $begun) 2>/dev/null)
    string join \n -- $answer[2..-1]
    switch "$answer[1]"
        case files
            __fish_complete_path $begun
        case 'command *'
            # As if the line began with the command; what is begun keeps its quotes.
            set -l first (math (string replace 'command ' '' -- $answer[1]) + 1)
            set -l before
            test $first -le (count $typed); and set before (string escape -- $typed[$first..-1])
            complete -C (string join ' ' -- $before $begun)
    end
end
complete -c interlock -f -a '(__interlock_complete)'
