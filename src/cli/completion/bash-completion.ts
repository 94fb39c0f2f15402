import type { Completion, CompletionTree } from './completion-tree.ts'

/** Without `mapfile`, and `compopt` only if it exists: macOS has bash 3.2. */
export function bashCompletion({ commands, firsts, seconds }: CompletionTree): string {
  const two = commands.filter(({ name }) => name.includes(' ')).map(({ name }) => quoted(name))
  return `# bellhop in bash: eval "$(bellhop completions bash)"
_bellhop() {
  local IFS=$' \\t\\n' current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]}
  # bash takes --flag=value for three words.
  if [[ $current == = ]]; then
    current=
  elif [[ $before == = ]]; then
    before=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _bellhop_words ${quoted([...firsts.map(({ word }) => word), '--help', '--version'].join(' '))}
    return
  fi
  local name=\${COMP_WORDS[1]}
  if ((COMP_CWORD > 2)); then
    case "$name \${COMP_WORDS[2]}" in
    ${two.join(' | ')}) name="$name \${COMP_WORDS[2]}" ;;
    esac
  fi
  case "$name $before" in
${commands
  .flatMap(({ name, flags }) =>
    flags.flatMap(({ flag, value }) =>
      value === null ? [] : [`  ${quoted(`${name} ${flag}`)}) ${offer(value)}; return ;;`],
    ),
  )
  .join('\n')}
  esac
  if [[ $current == -* ]]; then
    case $name in
${commands.map(({ name, flags }) => `    ${quoted(name)}) _bellhop_words ${quoted(flags.map(({ flag }) => flag).join(' '))} ;;`).join('\n')}
    esac
    return
  fi
  if ((COMP_CWORD == 2)); then
    case $name in
${[...seconds].map(([first, words]) => `    ${first}) _bellhop_words ${quoted(words.map(({ word }) => word).join(' '))} ;;`).join('\n')}
    esac
  fi
  case $name in
${commands
  .flatMap(({ name, words }) =>
    words.filter(({ kind }) => kind !== 'anything').map((word) => `  ${quoted(name)}) ${offer(word)} ;;`),
  )
  .join('\n')}
  esac
}

_bellhop_words() {
  COMPREPLY+=($(compgen -W "$1" -- "$current"))
}

_bellhop_files() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY+=($(compgen -f -- "$current"))
}

complete -F _bellhop bellhop
`
}

function offer(value: Completion): string {
  switch (value.kind) {
    case 'choices':
      return `_bellhop_words ${quoted(value.choices.join(' '))}`
    case 'files':
      return '_bellhop_files'
    case 'anything':
      return ':'
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
