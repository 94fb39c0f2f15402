import { problem } from '../failure.ts'
import type { Problem } from '../failure.ts'
import type { CommandContext } from './command.ts'

/** `-`: standard input, for a container without its host's files. */
export function readGivenFile(
  path: string,
  { readFile }: Pick<CommandContext, 'readFile'>,
): { readonly kind: 'read'; readonly bytes: Uint8Array; readonly text: string } | Problem {
  const file = readFile(path === '-' ? '/dev/stdin' : path)
  if (file.kind === 'problem') return problem(`The file ${path} ${file.problem}.`)
  return { kind: 'read', bytes: file.bytes, text: new TextDecoder().decode(file.bytes) }
}
