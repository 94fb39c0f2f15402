import { parseConfig } from '../config.ts'
import type { Config } from '../config.ts'
import { VERSION } from '../version.ts'
import { runAppCommand } from './app-command.ts'
import type { Surroundings as DataSurroundings } from './app-command.ts'
import { parseCommand } from './cli.ts'
import { helpText } from './help.ts'
import { startVariables } from './start-variables.ts'
import { sentenceOf } from './known-error.ts'

export interface Surroundings extends DataSurroundings {
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
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
export async function run(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    return await runCommand(argv, surroundings)
  } catch (error) {
    const sentence = sentenceOf(error)
    if (sentence === null) throw error
    surroundings.stderr(`bellhop: ${sentence}\n`)
    return FAILED
  }
}

async function runCommand(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const { stdout, stderr } = surroundings
  const complain: Complain = (sentences) => sentences.forEach((sentence) => stderr(`bellhop: ${sentence}\n`))

  const command = parseCommand(argv)
  switch (command.kind) {
    case 'help':
      stdout(helpText(command.topic))
      return DONE
    case 'version':
      stdout(`bellhop ${VERSION}\n`)
      return DONE
    case 'none':
      stderr(helpText(''))
      return USAGE
    case 'problems':
      complain(command.problems)
      return USAGE
    case 'serve':
      return serve(command.argv, surroundings, complain)
    case 'app':
      break
  }

  const outcome = runAppCommand(command.command, surroundings)
  if (outcome.kind === 'done') {
    stdout(outcome.text)
    return DONE
  }
  const wrong = outcome.kind === 'problems'
  complain(wrong ? outcome.problems : [outcome.problem])
  return wrong ? USAGE : FAILED
}

async function serve(
  argv: readonly string[],
  { env, readFile, serve: start, restart }: Surroundings,
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
