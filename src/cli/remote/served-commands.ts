import type { CommandCall, CommandSaid, RunningCommand, ServeCommand } from '../../admin/routes/command-routes.ts'
import { isEnough } from '../../admin/token-purpose.ts'
import { SECOND_MS, sleep } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../settings/parse.ts'
import { hostPort } from '../../settings/network-types.ts'
import { ACTING_FOR } from '../../system/operator.ts'
import { parseCommand } from '../cli.ts'
import type { ParsedArguments } from '../command.ts'
import { COMMANDS } from '../commands.ts'
import { TOKENS_UNTIL } from '../admin/admin-text.ts'
import { COMMAND_PURPOSES } from './command-purposes.ts'
import { isRemote, remoteFlagNames } from './remote-flags.ts'

/** At a time: each is a process of its own, of some 80 MB. */
const MAX_RUNNING = 4

/** A connection on which nothing is said for 30 s is closed. */
const STILL_THERE_MS = 10 * SECOND_MS

interface Options {
  readonly config: Pick<Config, 'data' | 'key' | 'adminListen'>
  readonly clock: Clock
  /** This program, as it is started: its path, and what stands before a command. */
  readonly program: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Runs commands of other machines, each as the same program in a process of its own, which works on the data of this
 * server. It reads no file of this machine, and no other data: whoever has a token is no user of the machine.
 */
export function createServedCommands({ config, clock, program, env }: Options): ServeCommand {
  let running = 0
  const environment = {
    ...env,
    BELLHOP_DATA: config.data,
    BELLHOP_ADMIN_LISTEN: hostPort(config.adminListen),
    ...(config.key !== null && { BELLHOP_KEY: config.key }),
    // It is to run here.
    BELLHOP_SERVER: undefined,
    BELLHOP_TOKEN_FILE: undefined,
  }
  return (call) => {
    const { argv, rights } = call
    const command = parseCommand(argv)
    const found = command.kind === 'run' ? COMMANDS.find(({ name }) => name === command.name) : undefined
    if (command.kind !== 'run' || found === undefined) {
      return {
        kind: 'refused',
        sentence: command.kind === 'problems' ? command.problems.join(' ') : 'argv names no command.',
      }
    }
    if (!isRemote(found)) return { kind: 'refused', sentence: `${found.name} runs on the machine of the server alone.` }
    const needed = COMMAND_PURPOSES[found.name] ?? 'administer'
    if (!isEnough(rights.purpose, needed)) return { kind: 'lesser', needed }
    const foreign = foreignIn(command.given.flags)
    if (foreign !== null) return { kind: 'refused', sentence: foreign }
    if (running >= MAX_RUNNING) return { kind: 'busy' }
    running++
    return start(call, () => running--)
  }

  function foreignIn(flags: ParsedArguments['flags']): string | null {
    for (const name of ['data', 'server', 'token-file', 'admin-listen']) {
      if (flags.has(name)) return `--${name} is for the machine that a command runs on.`
    }
    const { files, inline } = remoteFlagNames
    const file = files.find((name) => flags.has(name) && flags.get(name) !== '-')
    if (file !== undefined) return `--${file} must be -, the standard input.`
    const path = inline.find((name) => flags.has(name) && !flags.get(name)?.trimStart().startsWith('{'))
    return path === undefined ? null : `--${path} must be JSON.`
  }

  function start({ argv, stdin, by, rights }: CommandCall, ended: () => void): RunningCommand {
    const child = Bun.spawn([...program, ...argv], {
      env: {
        ...environment,
        [ACTING_FOR]: JSON.stringify(by),
        ...(rights.until !== null && { [TOKENS_UNTIL]: String(rights.until) }),
      },
      stdin: stdin ?? 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    void child.exited.then(ended)
    return { said: said(child), stop: () => child.kill('SIGINT') }
  }

  /** What it says, in the order in which it comes, and a sign of life where it says nothing. */
  async function* said(child: Bun.Subprocess<Uint8Array | 'ignore', 'pipe', 'pipe'>): AsyncGenerator<CommandSaid> {
    const speaking = [saidOn(child.stdout, 'out'), saidOn(child.stderr, 'err')]
    const waiting = new Map(speaking.map((each) => [each, each.next()]))
    while (waiting.size > 0) {
      const still = sleep(clock, STILL_THERE_MS).then(() => null)
      const spoken = [...waiting].map(async ([who, next]) => ({ who, what: await next }))
      const first = await Promise.race([...spoken, still])
      if (first === null) yield {}
      else if (first.what.done === true) waiting.delete(first.who)
      else {
        waiting.set(first.who, first.who.next())
        yield first.what.value
      }
    }
    yield { exit: await child.exited }
  }
}

/** A piece at a time, of which none ends in the middle of a character. */
async function* saidOn(stream: ReadableStream<Uint8Array>, name: 'out' | 'err'): AsyncGenerator<CommandSaid> {
  const decoder = new TextDecoder()
  for await (const bytes of stream) {
    const text = decoder.decode(bytes, { stream: true })
    yield name === 'out' ? { out: text } : { err: text }
  }
}
