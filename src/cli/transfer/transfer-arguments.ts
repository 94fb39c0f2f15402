import { problems } from '../command.ts'
import type { CommandOutcome, ParsedArguments } from '../command.ts'

/** `export APP FILE`, and `export --app APP FILE`. `file`: `null` where none stands. */
export function readTransferArguments(
  command: 'export' | 'import',
  { words, flags }: ParsedArguments,
): { readonly kind: 'words'; readonly app: string; readonly file: string | null } | CommandOutcome {
  const named = flags.get('app')
  const [app, file = null, surplus] = named === undefined ? words : [named, ...words]
  if (app === undefined) return problems(`${command} needs APP.`)
  if (surplus !== undefined) return problems(`"${surplus}" is too much: with --app, ${command} takes only FILE.`)
  return { kind: 'words', app, file }
}
