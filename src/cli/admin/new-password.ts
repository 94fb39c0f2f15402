import { randomBytes } from 'node:crypto'
import { isPassword, MAX_PASSWORD, MIN_PASSWORD } from '../../admin/administrator.ts'
import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import type { CommandContext } from '../command.ts'

/** 120 random bits: more than anybody can try. */
const GENERATED_BYTES = 15

/** The first line of the file, or one that is made here, which is then to be shown. */
export function newPassword(
  file: string | undefined,
  { readFile }: Pick<CommandContext, 'readFile'>,
): { readonly kind: 'password'; readonly password: string; readonly isMade: boolean } | Problem {
  if (file === undefined) {
    return { kind: 'password', password: randomBytes(GENERATED_BYTES).toString('base64url'), isMade: true }
  }
  const read = readFile(file === '-' ? '/dev/stdin' : file)
  if (read.kind === 'problem') return problem(`${file} ${read.problem}.`)
  const [password = ''] = new TextDecoder().decode(read.bytes).split(/\r?\n/)
  if (isPassword(password)) return { kind: 'password', password, isMade: false }
  return problem(`The password in ${file} must be ${MIN_PASSWORD} to ${MAX_PASSWORD} characters.`)
}
