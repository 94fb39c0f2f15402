import type { CommandSaid } from '../../admin/command-call.ts'
import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import { path } from '../../settings/setting-type.ts'
import { codeOf } from '../../text/error-code.ts'
import { dataFlags, onlyReads } from '../command.ts'
import type { CommandContext, CommandFacts, CommandOutcome, FlagSpec, ParsedArguments } from '../command.ts'
import { EXIT } from '../outcome.ts'
import { ERASE } from '../terminal/progress.ts'

/** They name things on the caller's machine, and their files are not sent. */
export const PLACES: readonly string[] = dataFlags.map(({ name }) => name)

export function callOf(
  { name, flags: specs }: Pick<CommandFacts, 'name' | 'flags'>,
  { words, flags }: ParsedArguments,
) {
  const given = [...flags].filter(([flag]) => flag !== 'server' && flag !== 'token-file')
  const specOf = (flag: string) => specs.find((one) => one.name === flag)
  const argv = given.map(([flag, value]) => (specOf(flag)?.placeholder === null ? `--${flag}` : `--${flag}=${value}`))
  const paths = given.filter(([flag, value]) => isFile(specOf(flag), value)).map(([, file]) => file)
  return {
    argv: [...name.split(' '), ...argv, '--', ...words],
    /** `/dev/stdin` for `-`. */
    paths: paths.map((file) => (file === '-' ? '/dev/stdin' : file)),
  }
}

function isFile(flag: FlagSpec | undefined, value: string): boolean {
  if (flag === undefined || PLACES.includes(flag.name)) return false
  return flag.type === path || (flag.placeholder === 'FILE|JSON' && !value.trimStart().startsWith('{'))
}

/** `lost`: the outcome if the connection breaks. */
export async function follow(
  response: Response,
  { stdout, stderr, written }: Pick<CommandContext, 'stdout' | 'stderr' | 'written'>,
  lost: CommandOutcome,
): Promise<CommandOutcome> {
  let kept: string | null = null
  let isLineOpen = false
  let rest = ''
  try {
    for await (const text of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const said = JSON.parse(line) as CommandSaid
        if ('err' in said) {
          stderr(said.err)
          isLineOpen = !said.err.endsWith('\n')
        }
        if ('exit' in said) return { kind: 'served', exitCode: said.exit }
        if ('kept' in said) kept = said.kept
        // The reader has gone; the closed connection ends the command.
        if ('out' in said && stdout(said.out) === false) return { kind: 'served', exitCode: 0 }
      }
      await written?.()
    }
  } catch (error) {
    if (!isBroken(error)) throw error
  }
  if (isLineOpen) stderr(ERASE)
  if (kept === null) return lost
  stderr(`${kept}\n`)
  return { kind: 'served', exitCode: EXIT.done }
}

/** Not by an abort. */
export function isBroken(error: unknown): boolean {
  return codeOf(error) !== null || (error instanceof DOMException && error.name === 'TimeoutError')
}

export function lostCall(server: string, spec: Pick<CommandFacts, 'changes'>, given: ParsedArguments): Problem {
  const unknown = onlyReads(spec, given) ? '' : '; whether the command finished is unknown'
  return problem(`The ${server} closed the connection${unknown}.`)
}
