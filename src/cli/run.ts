import { escapeControls } from '../text/escape-controls.ts'
import { parseCommand } from './cli.ts'
import { problems } from './command.ts'
import type { CommandContext, CommandOutcome, ParsedArguments } from './command.ts'
import { COMMANDS } from './commands.ts'
import { errorMessage } from './error-message.ts'
import { helpText } from './help.ts'
import { runRemotely, serverOf } from './remote/remote-command.ts'
import { isRemote } from './remote/remote-flags.ts'
import { textColumns } from './terminal/table-text.ts'

/** The usual codes: done, failed, and asked for wrongly. */
const DONE = 0
const FAILED = 1
const USAGE = 2

/**
 * From a command line (without the program) to an exit code. What was asked for goes to `stdout`; every problem is a
 * line `bellhop: …` on `stderr`. Rejects only for a bug.
 */
export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  try {
    return await runLine(argv, context)
  } catch (error) {
    const sentence = errorMessage(error)
    if (sentence === null) throw error
    context.stderr(`bellhop: ${escapeControls(sentence)}\n`)
    return FAILED
  }
}

async function runLine(argv: readonly string[], context: CommandContext): Promise<number> {
  const { stdout, stderr } = context
  const command = parseCommand(argv)
  if (command.kind === 'none') {
    stderr(helpText('', textColumns(context.terminal)))
    return USAGE
  }
  const outcome = command.kind === 'run' ? await runCommand(command.name, command.given, context) : command
  switch (outcome.kind) {
    case 'done':
      stdout(outcome.text)
      return DONE
    case 'failed':
      stdout(outcome.text)
      return FAILED
    case 'problem':
      complain(outcome.problem)
      return FAILED
    case 'problems':
      outcome.problems.forEach(complain)
      return USAGE
    case 'served':
      return outcome.exitCode
  }

  function complain(sentence: string): void {
    stderr(`bellhop: ${escapeControls(sentence)}\n`)
  }
}

async function runCommand(name: string, given: ParsedArguments, context: CommandContext): Promise<CommandOutcome> {
  const spec = COMMANDS.find((each) => each.name === name)
  if (spec === undefined) throw new Error(`nothing runs the command ${name}`)
  const { run, check } = await spec.load()
  if (spec.settings) return run(given, context)
  context.started()
  const server = isRemote(spec) ? serverOf(given, context.env) : null
  if (server !== null && given.problems.length === 0) return runRemotely(spec, given, server, context)
  const wrong = [...given.problems, ...(check?.(given, context).problems ?? [])]
  return wrong.length > 0 ? problems(...wrong) : run(given, context)
}
