import type { CompletedCommand, CompletedFlag, Completion, CompletionTree } from './completion-tree.ts'

export function fishCompletion({ commands, firsts, seconds }: CompletionTree): string {
  const names = commands.map(({ name }) => name)
  return `# bellhop in fish: bellhop completions fish > ~/.config/fish/completions/bellhop.fish

# Whether these words are the first ones of the line.
function __bellhop_begins
    set -l words (commandline -opc)
    set -e words[1]
    string match -q -- "$argv *" "$words "
end

# Whether so many words stand before the cursor.
function __bellhop_has
    test (count (commandline -opc)) -eq (math $argv[1] + 1)
end

complete -c bellhop -f
complete -c bellhop -n '__bellhop_has 0' -l help -d 'show all commands'
complete -c bellhop -n '__bellhop_has 0' -l version -d 'show the version'
${firsts.map(({ word, doc }) => `complete -c bellhop -n '__bellhop_has 0' -a ${word} -d ${quoted(doc)}`).join('\n')}
${[...seconds]
  .flatMap(([first, words]) =>
    words.map(
      ({ word, doc }) =>
        `complete -c bellhop -n '__bellhop_has 1; and __bellhop_begins ${first}' -a ${word} -d ${quoted(doc)}`,
    ),
  )
  .join('\n')}
${commands.flatMap((command) => commandLines(command, names)).join('\n')}
`
}

function commandLines({ name, words, flags }: CompletedCommand, names: readonly string[]): readonly string[] {
  // `backup verify` also begins with `backup`.
  const others = names
    .filter((other) => other.startsWith(`${name} `))
    .map((other) => `; and not __bellhop_begins ${other}`)
  const where = `complete -c bellhop -n '__bellhop_begins ${name}${others.join('')}'`
  const offered = words.map(offer).filter((options) => options !== '')
  return [
    ...flags.map((flag) => `${where} -l ${flag.flag.slice(2)}${valueOptions(flag)} -d ${quoted(flag.doc)}`),
    ...[...new Set(offered)].map((options) => `${where} ${options}`),
  ]
}

function valueOptions({ value }: CompletedFlag): string {
  if (value === null) return ''
  return value.kind === 'files' ? ' -r -F' : ` -x ${offer(value)}`.trimEnd()
}

function offer(value: Completion): string {
  switch (value.kind) {
    case 'choices':
      return `-a ${quoted(value.choices.join(' '))}`
    case 'files':
      return '-F'
    case 'anything':
      return ''
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`
}
