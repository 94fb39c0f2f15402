import type { CommandSaid } from '../../admin/command-call.ts'
import { problem } from '../../failure.ts'
import { path } from '../../settings/setting-type.ts'
import { dataFlags } from '../command.ts'
import type { CommandContext, CommandFacts, CommandOutcome, FlagSpec, ParsedArguments } from '../command.ts'

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

export async function follow(
  response: Response,
  { stdout, stderr, written }: Pick<CommandContext, 'stdout' | 'stderr' | 'written'>,
): Promise<CommandOutcome> {
  let rest = ''
  for await (const text of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const said = JSON.parse(line) as CommandSaid
      if ('err' in said) stderr(said.err)
      if ('exit' in said) return { kind: 'served', exitCode: said.exit }
      // The reader has gone; the closed connection ends the command.
      if ('out' in said && stdout(said.out) === false) return { kind: 'served', exitCode: 0 }
    }
    await written?.()
  }
  return problem('The server closed the connection: whether the command finished is unknown.')
}
