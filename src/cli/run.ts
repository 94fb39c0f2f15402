import { sleep } from '../clock.ts'
import { problem } from '../failure.ts'
import { parseCommand } from './cli.ts'
import type { CommandContext, CommandOutcome, ParsedArguments } from './command.ts'
import { COMMANDS } from './commands.ts'
import { errorMessage } from './error-message.ts'
import { closedTo, dataDirectory } from './data-directory.ts'
import { helpText } from './help.ts'
import { EXIT, report } from './outcome.ts'
import { isRemote } from './remote/command-purposes.ts'
import { runBeside } from './remote/command-socket.ts'
import { runRemotely, serverOf } from './remote/remote-command.ts'
import { textColumns } from './terminal/table-text.ts'

/** `argv`: without the program. Returns the exit code. Rejects only for a bug. */
export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  try {
    const command = parseCommand(argv)
    if (command.kind !== 'none') {
      return report(command.kind === 'run' ? await runCommand(command.name, command.given, context) : command, context)
    }
    context.stderr(helpText('', textColumns(context.terminal)))
    return EXIT.usage
  } catch (error) {
    const sentence = errorMessage(error)
    if (sentence === null) throw error
    report(problem(sentence), context)
    return EXIT.failed
  }
}

async function runCommand(name: string, given: ParsedArguments, context: CommandContext): Promise<CommandOutcome> {
  const spec = COMMANDS.find((each) => each.name === name)
  if (spec === undefined) throw new Error(`nothing runs the command ${name}`)
  if (spec.settings && spec.on === undefined) {
    const { run: runAlone } = await spec.load()
    return runAlone(given, context)
  }
  context.started()
  if (isRemote(spec) && given.problems.length === 0) {
    const server = serverOf(given, context.env)
    if (server !== null) return runRemotely(spec, given, server, context)
    const found = dataDirectory(given.flags, context)
    if (found.kind !== 'directory') return found
    const { data } = found
    const closed = closedTo(data)
    if (closed !== null) return closed
    const { isServed } = await import('../database/directory-lock.ts')
    for (let waitedMs = 0; ; waitedMs += AGAIN_MS) {
      const answered = await runBeside(spec, given, data, context)
      if (answered !== null) return answered
      if (!isServed(data)) break
      if (waitedMs >= PATIENCE_MS) return problem(silentText(data))
      await sleep(context.clock, AGAIN_MS)
    }
  }
  const [{ execute }, { openData }] = await Promise.all([import('./execute.ts'), import('./open-data.ts')])
  const able = { ...context, commands: { specs: COMMANDS, run } }
  return execute(spec, given, able, (own) => openData(given.flags, own, { create: spec.on === 'new data' }))
}

/** From locking the directory to listening for commands; usually a tenth of a second. */
const PATIENCE_MS = 5000
const AGAIN_MS = 50

function silentText(data: string): string {
  return `A server is running on ${data} but does not accept commands: it is starting, stopping, or another version. Try again, use its executable, or --server.`
}
