// The completion scripts of the shells. Each asks `svc __complete` for the candidates of the line before the cursor.

const bash = `# Completion of svc for bash. In ~/.bashrc: eval "$(svc completion bash)"
_svc() {
  local word path current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    case $word in
      :files | :folders)
        compopt -o filenames 2>/dev/null
        while IFS= read -r path; do
          COMPREPLY+=("$path")
        done < <(if [[ $word == :files ]]; then compgen -f -- "$current"; else compgen -d -- "$current"; fi)
        ;;
      ?*) COMPREPLY+=("$word") ;;
    esac
  done < <(svc __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _svc svc
`

const zsh = `#compdef svc
# Completion of svc for zsh. In ~/.zshrc: eval "$(svc completion zsh)"
_svc() {
  local line
  local -a candidates
  for line in "\${(@f)$(svc __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      :files) _files ;;
      :folders) _files -/ ;;
      *$'\\t'*) candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
      ?*) candidates+=("\${line//:/\\\\:}") ;;
    esac
  done
  (( $#candidates )) && _describe -t svc 'svc' candidates
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _svc "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _svc svc
fi
`

const fish = `# Completion of svc for fish. In ~/.config/fish/config.fish: svc completion fish | source
function __svc_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (svc __complete $words[2..-1] 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (commandline -ct)
            case :folders
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $line
        end
    end
end
complete -c svc -f -a '(__svc_complete)'
`

export const completionScripts: ReadonlyMap<string, string> = new Map(Object.entries({ bash, zsh, fish }))
