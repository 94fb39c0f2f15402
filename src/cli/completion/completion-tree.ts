import type { SettingRow } from '../../settings/settings-text.ts'
import type { CommandSpec } from '../command.ts'

export type Completion =
  | { readonly kind: 'choices'; readonly choices: readonly string[] }
  | { readonly kind: 'files' }
  | { readonly kind: 'anything' }

export interface CompletedFlag {
  readonly flag: string
  readonly doc: string
  /** `null`: a switch. */
  readonly value: (Completion & { readonly placeholder: string }) | null
  readonly list: boolean
}

export interface CompletedCommand {
  readonly name: string
  readonly doc: string
  readonly words: readonly (Completion & { readonly placeholder: string })[]
  readonly flags: readonly CompletedFlag[]
}

export interface CompletionTree {
  readonly commands: readonly CompletedCommand[]
  readonly firsts: readonly Word[]
  /** By first word: `app` → `create`, `list`. */
  readonly seconds: ReadonlyMap<string, readonly Word[]>
}

export interface Word {
  readonly word: string
  readonly doc: string
}

export async function completionTree(
  specs: readonly CommandSpec[],
  settings: readonly SettingRow[],
): Promise<CompletionTree> {
  const commands = await Promise.all(specs.map((spec) => commandOf(spec, settings)))
  const seconds = Map.groupBy(
    commands.filter(({ name }) => name.includes(' ')),
    ({ name }) => name.split(' ')[0] ?? '',
  )
  const firsts = new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))
  return {
    commands,
    firsts: [...firsts].map((word) => ({
      word,
      doc: commands.find(({ name }) => name === word)?.doc ?? lastWords(seconds.get(word) ?? []),
    })),
    seconds: new Map(
      [...seconds].map(([first, group]) => [
        first,
        group.map(({ name, doc }) => ({ word: name.slice(first.length + 1), doc })),
      ]),
    ),
  }
}

async function commandOf(spec: CommandSpec, settings: readonly SettingRow[]): Promise<CompletedCommand> {
  const firstWords = await spec.choices?.()
  const ofSettings = (spec.settings ? settings : []).map(({ flag, placeholder, doc, list }) => ({
    flag,
    doc: brief(doc),
    value: placeholder === '' ? null : valueOf(placeholder),
    list,
  }))
  const own = spec.flags.map(({ name, placeholder, doc, list }) => ({
    flag: `--${name}`,
    doc: brief(doc),
    value: placeholder === null ? null : valueOf(placeholder),
    list: list === true,
  }))
  return {
    name: spec.name,
    doc: brief(spec.summary),
    words: spec.words.map((word, at) => {
      const placeholder = word.replaceAll(/[[\]]/g, '')
      return at === 0 && firstWords ? { kind: 'choices', choices: firstWords, placeholder } : valueOf(placeholder)
    }),
    flags: [...ofSettings, ...own, { flag: '--help', doc: 'show flags and an example', value: null, list: false }],
  }
}

/** From a placeholder: `FILE.p8`, `FILE|DIR|s3://…`, `auto|production|sandbox`, `N`. */
function valueOf(placeholder: string): Completion & { readonly placeholder: string } {
  const parts = placeholder.split('|')
  if (parts.some((part) => /^(FILE|PATH|DIR)/.test(part))) return { kind: 'files', placeholder }
  const choices = parts.filter((part) => /^[a-z][a-z0-9-]*$/.test(part))
  return choices.length > 0 ? { kind: 'choices', choices, placeholder } : { kind: 'anything', placeholder }
}

function brief(doc: string): string {
  const [sentence = ''] = doc.replaceAll('`', '').split('. ')
  return sentence.replace(/\.$/, '')
}

function lastWords(group: readonly CompletedCommand[]): string {
  return group.map(({ name }) => name.split(' ')[1]).join(', ')
}
