/** The shells that have a script. */
export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

// Each script asks the `horarium` on the PATH, because pressing the Tab key must not run a program of the folder that the line
// names. It passes the line as one argument, and treats the answer as text that is never expanded.

/**
 * Bash replaces only what follows the last `:` or `=`, unless `COMP_WORDBREAKS` lacks them or the word is quoted. What it replaces
 * is the second argument of the function, so what is typed before that is removed from each word.
 */
const bash = `_horarium() {
  local line=\${COMP_LINE:0:COMP_POINT} word meaning
  local typed=\${line##*[[:space:]]}
  local before=\${typed%"$2"}
  COMPREPLY=()
  while IFS=$'\\t' read -r word meaning; do
    if [[ $word == :files ]]; then compopt -o default; continue; fi
    word=\${word#"$before"}
    [[ $word == *[![:alnum:]_.,:=/+@-]* ]] && printf -v word %q "$word"
    COMPREPLY+=("$word")
  done < <(command horarium complete -- "$line" </dev/null 2>/dev/null)
}
complete -F _horarium horarium
`;

/** The first line makes a file on `fpath` a completion; a shell that reads the script registers the function itself. */
const zsh = `#compdef horarium
_horarium() {
  local word meaning
  local -a found
  local -i files=0
  while IFS=$'\\t' read -r word meaning; do
    if [[ $word == :files ]]; then files=1; continue; fi
    found+=("\${word//:/\\\\:}:$meaning")
  done < <(command horarium complete -- "\${(j: :)words[1,CURRENT-1]} $QIPREFIX$IPREFIX$PREFIX" </dev/null 2>/dev/null)
  (( \${#found} )) && _describe horarium found
  (( files )) || return
  [[ $PREFIX == --*=* ]] && compset -P 1 '*='
  _files
}
if [[ $funcstack[1] == _horarium ]]; then _horarium "$@"; else compdef _horarium horarium; fi
`;

const fish = `function __horarium_complete
    set -l line (commandline -cp)
    for candidate in (command horarium complete -- "$line" </dev/null 2>/dev/null)
        if test "$candidate" != :files
            printf '%s\\n' $candidate
            continue
        end
        set -l word (commandline -ct)
        set -l flag (string match -r -- '^--[^=]+=' "$word")
        __fish_complete_path (string replace -r -- '^--[^=]+=' '' "$word") | string replace -r -- '^' "$flag"
    end
end
complete -c horarium -f -a '(__horarium_complete)'
`;

/** The script of each shell, which asks the program what may stand at the cursor. */
export const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish };
