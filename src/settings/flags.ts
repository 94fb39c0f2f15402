import { suggestion } from '../text/nearest.ts'

/** Flags of a command line. Names are without the dashes. */
export interface FlagNames {
  /** Take a value: `--name VALUE` or `--name=VALUE`. */
  readonly valued: readonly string[]
  /** Take a value, and may be given again: the values are joined by commas. */
  readonly lists?: readonly string[]
  readonly switches: readonly string[]
  /** Names in other programs, and the flag here: `port` → `--listen HOST:PORT`. */
  readonly elsewhere?: Readonly<Record<string, string>> | undefined
}

export interface Flags {
  /** By name; the last one wins. A switch that is on has the value `''`. */
  readonly values: ReadonlyMap<string, string>
  /** Everything that is not a flag, in order; all of it after `--`. */
  readonly words: readonly string[]
  readonly problems: readonly string[]
}

export function readFlags(argv: readonly string[], names: FlagNames): Flags {
  const values = new Map<string, string>()
  const words: string[] = []
  const problems: string[] = []
  const lists = names.lists ?? []
  const known = [...names.valued, ...lists, ...names.switches].map((name) => `--${name}`)

  function set(name: string, value: string): void {
    const before = lists.includes(name) ? values.get(name) : undefined
    values.set(name, before === undefined ? value : `${before},${value}`)
  }

  for (let at = 0; at < argv.length; at += 1) {
    const argument = argv[at] ?? ''
    if (argument === '--') {
      words.push(...argv.slice(at + 1))
      break
    }
    if (!argument.startsWith('-') || argument === '-') {
      words.push(argument)
      continue
    }
    const equals = argument.indexOf('=')
    const flag = equals === -1 ? argument : argument.slice(0, equals)
    const name = flag.slice(2)
    const inline = equals === -1 ? null : argument.slice(equals + 1)
    if (!known.includes(flag)) {
      const here = names.elsewhere?.[name]
      const meant = here === undefined ? suggestion(flag, known) : ` Did you mean ${here}?`
      problems.push(`${flag} is not a flag of this command.${meant}`)
    } else if (names.switches.includes(name)) {
      if (inline === null) set(name, '')
      else problems.push(`${flag} takes no value.`)
    } else {
      const next = argv[at + 1]
      if (inline !== null) set(name, inline)
      else if (next === undefined || next.startsWith('--')) problems.push(`${flag} needs a value.`)
      else {
        set(name, next)
        at += 1
      }
    }
  }
  return { values, words, problems }
}
