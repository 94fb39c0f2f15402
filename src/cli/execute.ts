import { problem } from '../failure.ts'
import { problems } from './command.ts'
import type { CommandContext, CommandOutcome, CommandSpec, ParsedArguments } from './command.ts'
import { createCommandAudit, exitText } from './command-audit.ts'
import { errorMessage } from './error-message.ts'
import { findApplication } from './find-application.ts'
import type { OpenWorld } from './open-data.ts'
import { EXIT, exitCodeOf } from './outcome.ts'

type Open = (context: CommandContext) => OpenWorld | CommandOutcome

/** The only way to run a command, so that the audit log has its changes. Rejects only for a bug. */
export async function execute(
  spec: CommandSpec,
  given: ParsedArguments,
  context: CommandContext,
  open: Open,
): Promise<CommandOutcome> {
  const { check } = await spec.load()
  const wrong = [...given.problems, ...(check?.(given, context).problems ?? [])]
  if (wrong.length > 0) return problems(...wrong)
  const entry = createCommandAudit(spec, given, context)
  using closing = new DisposableStack()
  const opened: OpenWorld[] = []
  try {
    const outcome = await runOn(spec, given, entry === null ? context : { ...context, audit: entry.audit }, (own) => {
      const world = open(own)
      if (world.kind === 'open') opened.push(closing.use(world))
      return world
    })
    const exitCode = exitCodeOf(outcome)
    if (exitCode === EXIT.done) entry?.end('ok', '')
    else entry?.end(isRefusal(outcome) ? 'refused' : 'failed', exitText(exitCode))
    return outcome
  } catch (error) {
    entry?.end('failed', exitText(EXIT.failed))
    const sentence = errorMessage(error)
    if (sentence === null) throw error
    return problem(sentence)
  } finally {
    if (entry !== null) for (const world of opened) await world.changed()
  }
}

async function runOn(
  spec: CommandSpec,
  given: ParsedArguments,
  context: CommandContext,
  open: Open,
): Promise<CommandOutcome> {
  if (spec.on === undefined) return (await spec.load()).run(given, context)
  const opened = open(context)
  if (opened.kind !== 'open') return opened
  if (spec.on !== 'application') return (await spec.load()).run(given, opened)
  const found = findApplication(given.words[0] ?? '', opened)
  if (found.kind !== 'found') return found
  return (await spec.load()).run(given, { ...opened, application: found.application })
}

function isRefusal({ kind }: CommandOutcome): boolean {
  return kind === 'problem' || kind === 'problems'
}
