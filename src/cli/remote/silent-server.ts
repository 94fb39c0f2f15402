import { abortAfter, SECOND_MS } from '../../clock.ts'
import type { CommandContext } from '../command.ts'

/** Until the server is asked, and for its answer: a long command is silent too. */
const SILENT_MS = SECOND_MS
const ANSWER_MS = 3 * SECOND_MS

/** Says once that a silent server is waited for, unless it answers `ask`. */
export function noticeSilence(
  { clock, stderr }: Pick<CommandContext, 'clock' | 'stderr'>,
  server: string,
  ask: (signal: AbortSignal) => Promise<Response>,
): Disposable {
  let isOver = false
  async function look(): Promise<void> {
    using deadline = abortAfter(clock, ANSWER_MS)
    const isSilent = await ask(deadline.signal).then(
      () => false,
      () => deadline.signal.aborted,
    )
    if (isSilent && !isOver) stderr(`bellhop: Waiting for the ${server}, which does not answer.\n`)
  }
  const cancel = clock.after(SILENT_MS, () => void look())
  return {
    [Symbol.dispose]() {
      isOver = true
      cancel()
    },
  }
}
