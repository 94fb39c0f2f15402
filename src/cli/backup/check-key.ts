import { existsSync } from 'node:fs'
import type { Sealed } from '../../backup/summary.ts'
import { open } from '../../sealing/seal.ts'
import { keyPathIn, loadSealingKey } from '../../sealing/sealing-key.ts'
import { readSettings } from '../../settings/parse.ts'
import type { CommandContext } from '../command.ts'

export type KeyCheck =
  | { readonly kind: 'opens' }
  | { readonly kind: 'no key' }
  | { readonly kind: 'wrong'; readonly problem: string }

/** Like `serve`, but makes no key. */
export function checkKey(
  sealed: readonly Sealed[],
  data: string,
  { env, readFile }: Pick<CommandContext, 'env' | 'readFile'>,
): KeyCheck {
  if (sealed.length === 0) return { kind: 'opens' }
  const settings = readSettings(['key'], { flags: new Map(), env, readFile, withoutFlag: ['key'] })
  if (settings.kind === 'problems') return { kind: 'wrong', problem: `${settings.problems.join(' ')}.` }
  const { key: text } = settings.config
  if (text === null && !existsSync(keyPathIn(data))) return { kind: 'no key' }
  const loaded = loadSealingKey({ dataDirectory: data, hasCredentials: true, ...(text !== null && { text }) })
  if (loaded.kind === 'problem') return { kind: 'wrong', problem: loaded.problem }
  const closed = sealed.filter((each) => open(loaded.key, each, each.sealed) === null)
  if (closed.length === 0) return { kind: 'opens' }
  const which = loaded.source === 'setting' ? 'The key that is set' : `The key ${keyPathIn(data)}`
  const what = closed.length === sealed.length ? 'the credentials' : `${closed.length} of ${sealed.length} credentials`
  return { kind: 'wrong', problem: `${which} does not open ${what} in it: they were sealed with another key.` }
}
