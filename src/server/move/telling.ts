import { SECOND_MS, sleep } from '../../clock.ts'
import type { Commit } from '../../database/group-commit.ts'
import { problem } from '../../failure.ts'
import type { Move, MoveStore } from '../../move/move-store.ts'
import { describeError } from '../../text/error-code.ts'
import type { Service } from '../service.ts'
import { createTargetClient } from './target-client.ts'

const AGAIN_MS = [1, 1, 2, 5, 10].map((seconds) => seconds * SECOND_MS)
const LAST_AGAIN_MS = 30 * SECOND_MS

interface Dependencies extends Pick<Service, 'clock' | 'log' | 'directory'> {
  readonly commit: Commit
  readonly moves: MoveStore
  readonly stopped: AbortSignal
  /** By `application.id`. */
  readonly isUnderWay: (id: string) => boolean
  readonly onGone: (id: string) => void
}

export function createTelling({ clock, log, directory, commit, moves, stopped, isUnderWay, onGone }: Dependencies) {
  /** Tells the other server the end of a move until it confirms; then ends it here, too. */
  async function tell(id: string, step: 'activate' | 'drop'): Promise<void> {
    const phase = step === 'activate' ? 'left' : 'leaving'
    for (let tries = 0; !stopped.aborted; tries++) {
      const found = moves.find(id)
      if (found?.phase !== phase || found.adminUrl === null || (tries > 0 && step === 'drop' && isUnderWay(id))) return
      const secret = moves.secretOf(id)
      const said =
        secret === null
          ? problem('the secret of the move does not open: it was sealed with another key')
          : await createTargetClient(clock, found.adminUrl).step({ step }, secret)
      if (said.kind === 'done' || (said.kind === 'gone' && step === 'drop')) return heard(found)
      const why = 'problem' in said ? said.problem : 'it does not know the application'
      log.warn('the other server of a move was not reached; trying again', { application: id, step, error: why })
      await Promise.race([sleep(clock, AGAIN_MS[tries] ?? LAST_AGAIN_MS), aborted(stopped)])
    }
  }

  async function heard({ id, phase, digest }: Move): Promise<void> {
    if (phase === 'left') {
      await untilWritten(() => moves.setPhase(id, 'gone'))
      directory.reload()
      onGone(id)
      return
    }
    await untilWritten(() => {
      const found = moves.find(id)
      if (found?.phase !== 'leaving' || isUnderWay(id)) return
      if (digest === null) moves.remove(id)
      else moves.put({ ...found, phase: 'here', adminUrl: null, url: null, secret: null })
    })
    directory.reload()
  }

  /** Tries until it succeeds: a full disk must not leave an application that nobody serves. */
  async function untilWritten(work: () => void): Promise<void> {
    while (!stopped.aborted) {
      try {
        await commit(work)
        return
      } catch (error) {
        log.error('a move could not be stored; trying again', { error: describeError(error) })
        await sleep(clock, SECOND_MS)
      }
    }
  }

  return { tell, untilWritten }
}

export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
