import { escapeControls } from '../text/escape-controls.ts'
import { parseCommand } from './cli.ts'
import { problems } from './command.ts'
import type { CommandContext, CommandOutcome, CommandSpec, ParsedArguments, RunCommand } from './command.ts'
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
    case 'failed':
      stdout(outcome.text)
      break
    case 'problem':
      complain(outcome.problem)
      break
    case 'problems':
      outcome.problems.forEach(complain)
      break
    case 'served':
  }
  return exitCodeOf(outcome)

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
  return wrong.length > 0 ? problems(...wrong) : runAudited(spec, run, given, context)
}

/** Every command runs here, so what it changes is in the audit log whoever wrote it. */
async function runAudited(
  spec: CommandSpec,
  run: RunCommand,
  given: ParsedArguments,
  context: CommandContext,
): Promise<CommandOutcome> {
  if (spec.changes === null) return run(given, context)
  const { createCommandAudit } = await import('./command-audit.ts')
  const entry = createCommandAudit(spec, spec.changes, given, context)
  if (entry === null) return run(given, context)
  try {
    const outcome = await run(given, { ...context, audit: entry.audit })
    const exitCode = exitCodeOf(outcome)
    if (exitCode === DONE) entry.end('ok', '')
    else entry.end(outcome.kind === 'problem' || outcome.kind === 'problems' ? 'refused' : 'failed', `exit ${exitCode}`)
    return outcome
  } catch (error) {
    entry.end('failed', `exit ${FAILED}`)
    throw error
  }
}

function exitCodeOf(outcome: CommandOutcome): number {
  switch (outcome.kind) {
    case 'done':
      return DONE
    case 'failed':
    case 'problem':
      return FAILED
    case 'problems':
      return USAGE
    case 'served':
      return outcome.exitCode
  }
}
