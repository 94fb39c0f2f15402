import { path } from '../../settings/setting-type.ts'
import type { CommandSpec, FlagSpec } from '../command.ts'
import { serverFlag } from '../command.ts'
import { COMMANDS } from '../commands.ts'

/** Whether a command also runs on the data of a server elsewhere. */
export function isRemote({ flags }: Pick<CommandSpec, 'flags'>): boolean {
  return flags.includes(serverFlag)
}

const OWN = new Set(['server', 'token-file', 'data'])

/** Flags of such commands whose value is a file: its content is handed in. */
function isFile({ name, type }: FlagSpec): boolean {
  return type === path && !OWN.has(name)
}

/** `files`: read from standard input there; `inline`: a file or JSON, of which JSON is sent. */
export const remoteFlagNames: { readonly files: readonly string[]; readonly inline: readonly string[] } = {
  files: [...new Set(COMMANDS.filter(isRemote).flatMap(({ flags }) => flags.filter(isFile).map(({ name }) => name)))],
  inline: ['languages'],
}
