import { randomBytes } from 'node:crypto'
import { guessableAs } from '../../account/guessable-password.ts'
import { isPassword, MAX_PASSWORD, MIN_PASSWORD } from '../../admin/administrator.ts'
import { hashPassword } from '../../admin/password.ts'
import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import type { CommandContext } from '../command.ts'

/** 120 random bits. */
const GENERATED_BYTES = 15

export interface NewPassword {
  readonly kind: 'password'
  readonly password: string
  readonly hash: string
  /** Generated, so it must be shown. */
  readonly isMade: boolean
}

/** The first line of the file, or a generated one. `name`: whose. */
export async function newPassword(
  file: string | undefined,
  name: string,
  { readFile }: Pick<CommandContext, 'readFile'>,
): Promise<NewPassword | Problem> {
  if (file === undefined) return await hashed(randomBytes(GENERATED_BYTES).toString('base64url'), true)
  const read = readFile(file === '-' ? '/dev/stdin' : file)
  if (read.kind === 'problem') return problem(`${file} ${read.problem}.`)
  const [password = ''] = new TextDecoder().decode(read.bytes).split(/\r?\n/)
  const why = isPassword(password)
    ? await guessableAs(password, name)
    : `must be ${MIN_PASSWORD} to ${MAX_PASSWORD} characters`
  return why === null ? await hashed(password, false) : problem(`The password in ${file} ${why}.`)
}

async function hashed(password: string, isMade: boolean): Promise<NewPassword> {
  return { kind: 'password', password, hash: await hashPassword(password), isMade }
}
