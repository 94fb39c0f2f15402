import type { CompletedCommand, CompletedFlag, Completion, CompletionTree, Word } from './completion-tree.ts'

/** Source it, or put it into `fpath` as `_bellhop`. */
export function zshCompletion({ commands, firsts, seconds }: CompletionTree): string {
  const two = commands.filter(({ name }) => name.includes(' ')).map(({ name }) => quoted(name))
  return `#compdef bellhop
# bellhop in zsh: source <(bellhop completions zsh)
_bellhop() {
  local -a found
  if ((CURRENT == 2)); then
    found=(${firsts.map(described).join(' ')})
    _describe -t commands command found
    _arguments -S '--help[show all commands]' '--version[show the version]'
    return
  fi
  if ((CURRENT == 3)) && [[ $words[3] != -* ]]; then
    case $words[2] in
${[...seconds].map(([first, words]) => `    ${first}) found=(${words.map(described).join(' ')}) ;;`).join('\n')}
    esac
    ((\${#found})) && _describe -t commands command found
  fi
  local name=$words[2]
  integer depth=1
  if ((CURRENT > 3)); then
    case "$name $words[3]" in
    ${two.join(' | ')})
      name="$name $words[3]"
      depth=2
      ;;
    esac
  fi
  shift $depth words
  ((CURRENT -= depth))
  case $name in
${commands.map(commandCase).join('\n')}
  esac
}

if [[ $funcstack[1] == _bellhop ]]; then
  _bellhop "$@"
else
  compdef _bellhop bellhop
fi
`
}

function commandCase({ name, words, flags }: CompletedCommand): string {
  const positions = words.map((word, at) =>
    // A message instead of candidates (see `action`) would hide the flags too.
    quoted(`${at + 1}:${word.placeholder.replaceAll(':', '\\:')}:${word.kind === 'anything' ? '()' : action(word)}`),
  )
  return `  ${quoted(name)}) _arguments -S ${[...flags.map(flagSpec), ...positions].join(' ')} ;;`
}

function flagSpec({ flag, doc, value, list }: CompletedFlag): string {
  const text = doc.replaceAll(/[[\]\\]/g, String.raw`\$&`)
  if (value === null) return quoted(`${flag}[${text}]`)
  const message = value.placeholder.replaceAll(':', '\\:')
  return quoted(`${list ? '*' : ''}${flag}=[${text}]:${message}:${action(value)}`)
}

function action(value: Completion): string {
  switch (value.kind) {
    case 'choices':
      return `(${value.choices.join(' ')})`
    case 'files':
      return '_files'
    case 'anything':
      return ' '
  }
}

function described({ word, doc }: Word): string {
  return quoted(`${word}:${doc}`)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
