import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import type { CommandContext } from '../command.ts'

/** `-` is standard input. */
export function readTextFile(
  path: string,
  { readFile }: Pick<CommandContext, 'readFile'>,
): { readonly kind: 'read'; readonly text: string } | Problem {
  const file = readFile(path === '-' ? '/dev/stdin' : path)
  if (file.kind === 'problem') return problem(`The file ${path} ${file.problem}.`)
  return { kind: 'read', text: new TextDecoder().decode(file.bytes) }
}
