import { parseConfig } from '../settings/parse.ts'
import type { Config } from '../settings/parse.ts'
import { escapeControls } from '../text/escape-controls.ts'
import { runAppCommand } from './app/app-command.ts'
import { parseCommand } from './cli.ts'
import type { CommandOutcome, CommandContext } from './command.ts'
import { errorMessage } from './error-message.ts'
import { helpText } from './help.ts'
import { RUNNERS } from './runners.ts'
import { runConfig } from './service/config-command.ts'
import { startVariables } from './service/start-variables.ts'
import { versionJson, versionText } from './service/version-text.ts'
import { textColumns } from './terminal/table-text.ts'

export interface RunContext extends CommandContext {
  /** Runs the service until it is stopped; its exit code. */
  readonly serve: (config: Config) => Promise<number>
  /** Becomes the same program anew, with these variables in its environment. */
  readonly restart: (variables: Readonly<Record<string, string>>) => never
}

type Complain = (sentences: readonly string[]) => void

/** The usual codes: done, failed, and asked for wrongly. */
const DONE = 0
const FAILED = 1
const USAGE = 2

/**
 * From a command line (without the program) to an exit code. What was asked for goes to `stdout`; every problem is a
 * line `bellhop: …` on `stderr`. Rejects only for a bug.
 */
export async function run(argv: readonly string[], context: RunContext): Promise<number> {
  try {
    return await runLine(argv, context)
  } catch (error) {
    const sentence = errorMessage(error)
    if (sentence === null) throw error
    context.stderr(`bellhop: ${escapeControls(sentence)}\n`)
    return FAILED
  }
}

async function runLine(argv: readonly string[], context: RunContext): Promise<number> {
  const { stdout, stderr } = context
  const complain: Complain = (sentences) =>
    sentences.forEach((sentence) => stderr(`bellhop: ${escapeControls(sentence)}\n`))

  const command = parseCommand(argv)
  switch (command.kind) {
    case 'help':
      stdout(helpText(command.topic, textColumns(context.terminal)))
      return DONE
    case 'version':
      stdout(command.json ? versionJson() : versionText())
      return DONE
    case 'none':
      stderr(helpText('', textColumns(context.terminal)))
      return USAGE
    case 'problems':
      complain(command.problems)
      return USAGE
    case 'serve':
      return serve(command.argv, context, complain)
    case 'config':
      return end(runConfig(command.argv, context), stdout, complain)
    case 'app':
      return end(runAppCommand(command.command, context), stdout, complain)
    case 'run':
      break
  }
  const runner = RUNNERS[command.name]
  if (runner === undefined) throw new Error(`nothing runs the command ${command.name}`)
  const runCommand = await runner()
  return end(await runCommand(command.given, context), stdout, complain)
}

/** Prints what a command came to; its exit code. */
function end(outcome: CommandOutcome, stdout: (text: string) => void, complain: Complain): number {
  switch (outcome.kind) {
    case 'done':
      stdout(outcome.text)
      return DONE
    case 'failed':
      stdout(outcome.text)
      return FAILED
    case 'problem':
      complain([outcome.problem])
      return FAILED
    case 'problems':
      complain(outcome.problems)
      return USAGE
  }
}

async function serve(
  argv: readonly string[],
  { env, readFile, serve: start, restart }: RunContext,
  complain: Complain,
): Promise<number> {
  const settings = parseConfig(argv, env, readFile)
  if (settings.kind === 'problems') {
    complain([...settings.warnings, ...settings.problems])
    return USAGE
  }
  if (['0', 'false'].includes(env['NODE_TLS_REJECT_UNAUTHORIZED'] ?? '')) {
    complain([
      'NODE_TLS_REJECT_UNAUTHORIZED is set so that anyone could pose as Apple or Google: unset it. The certificate of a private gateway goes into --gateway-ca.',
    ])
    return FAILED
  }
  const cap = startVariables(settings.config.maxInFlight, env)
  if (cap.kind === 'restart') return restart(cap.variables)
  // After the restart, so that they are said once.
  complain([...settings.warnings, ...(cap.warning === null ? [] : [cap.warning])])
  return start({ ...settings.config, maxInFlight: cap.maxInFlight })
}
