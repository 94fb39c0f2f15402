import { escapeControls } from '../text/escape-controls.ts'
import type { CommandContext, CommandOutcome } from './command.ts'

export const EXIT = { done: 0, failed: 1, usage: 2 } as const

export function report(outcome: CommandOutcome, { stdout, stderr }: Pick<CommandContext, 'stdout' | 'stderr'>): number {
  if (outcome.kind === 'done' || outcome.kind === 'failed') stdout(outcome.text)
  const sentences = outcome.kind === 'problem' ? [outcome.problem] : outcome.kind === 'problems' ? outcome.problems : []
  for (const sentence of sentences) stderr(`bellhop: ${escapeControls(sentence)}\n`)
  return exitCodeOf(outcome)
}

export function exitCodeOf(outcome: CommandOutcome): number {
  switch (outcome.kind) {
    case 'done':
      return EXIT.done
    case 'failed':
    case 'problem':
      return EXIT.failed
    case 'problems':
      return EXIT.usage
    case 'served':
      return outcome.exitCode
  }
}
