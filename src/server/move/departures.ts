import type { Application } from '../../application/application.ts'
import { MINUTE_MS, within } from '../../clock.ts'
import type { Commit } from '../../database/group-commit.ts'
import { NEWEST_SCHEMA } from '../../database/migration/migrations.ts'
import type { DeliveryPool } from '../../delivery/delivery-pool.ts'
import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import type { HookStore } from '../../hook/hook-store.ts'
import { logError } from '../../log.ts'
import { whereText } from '../../move/move-store.ts'
import type { Move, MoveStore } from '../../move/move-store.ts'
import type { RowGuard } from '../../move/row-guard.ts'
import { describeError, messageOf } from '../../text/error-code.ts'
import { VERSION } from '../../version.ts'
import type { WebhookSender } from '../../webhook/webhook-sender.ts'
import type { Service } from '../service.ts'
import { copyRows, estimatedBytes } from './copy-rows.ts'
import { answersCalls, createTargetClient } from './target-client.ts'
import { aborted, createTelling } from './telling.ts'

/*
 * A move of an application to another server. This server drives it; a row in `application_move` has its phase.
 *
 * 1. leaving: the other server offers to take it (arrivals.ts), or says why it cannot.
 * 2. What is being sent is answered and on disk; calls are answered as ever, and new pushes wait.
 * 3. frozen: calls get 503, and triggers refuse every write to its rows, also by earlier calls.
 * 4. Its rows are copied into the tables there, of an application that is neither served nor sent for.
 * 5. arrived, there: all rows came. From here on only this server can have the copy dropped.
 * 6. left: from this commit on the application is there, and never again here.
 * 7. The other server is told until it confirms; then it is `gone`, calls are forwarded, and its rows here are erased,
 * so that later erasures there are complete.
 *
 * Any failure before the 6th, even a kill, ends the move: the application continues here, at once or with the next
 * start, and the copy is dropped, on request, by a restart or by standing still. After the 6th, the next start
 * continues with 7. Between 6 and 7 nobody answers: neither server could know that the other does not.
 */

/** How long gateways may take to answer what is being sent. Calls are answered meanwhile. */
const HOLD_MS = 2 * MINUTE_MS

/** Earlier calls have been refused by then. */
const ERASE_AFTER_MS = MINUTE_MS

const STOPPED = 'Stopped: nothing was moved.'

interface Dependencies extends Pick<Service, 'config' | 'clock' | 'time' | 'log' | 'database' | 'directory' | 'key'> {
  readonly commit: Commit
  readonly moves: MoveStore
  readonly hooks: Pick<HookStore, 'list'>
  readonly pool: Pick<DeliveryPool, 'hold' | 'release'>
  readonly webhooks: Pick<WebhookSender, 'hold' | 'release'>
  readonly guard: RowGuard
  readonly eraseApplication: (application: number, id: string) => Promise<void>
}

export interface MoveTarget {
  /** The admin address, an origin. */
  readonly server: string
  readonly token: string
  /** Where calls are answered; `null`: as the other server says. */
  readonly url: string | null
}

export interface Moved {
  readonly kind: 'moved'
  readonly url: string
  readonly devices: number
  readonly waitedMs: number
}

export interface Mover {
  /** Also writes the entry of the caller's audit log. */
  readonly commit: Commit
  readonly say: (sentence: string) => void
  /** Ends the move, up to its 6th step. */
  readonly signal: AbortSignal
}

export type MoveDepartures = ReturnType<typeof createDepartures>

export function createDepartures(deps: Dependencies) {
  const { clock, log, database, directory, moves, pool, webhooks, guard } = deps
  const stopped = new AbortController()
  /** By `application.id`. */
  const underWay = new Set<string>()
  const { tell, untilWritten } = createTelling({
    ...deps,
    stopped: stopped.signal,
    isUnderWay: (id) => underWay.has(id),
    onGone: eraseLater,
  })

  async function moveTo(application: Application, to: MoveTarget, mover: Mover): Promise<Moved | Problem> {
    const { id, name } = application
    if (underWay.has(id)) return problem(`"${name}" is already being moved.`)
    underWay.add(id)
    try {
      return await moveOnce(application, to, mover)
    } finally {
      underWay.delete(id)
    }
  }

  async function moveOnce(application: Application, { server, token, url: given }: MoveTarget, mover: Mover) {
    const { id, number, name } = application
    const { commit, say } = mover
    const isStopped = () => mover.signal.aborted || stopped.signal.aborted
    const client = createTargetClient(clock, server)
    const offer = await client.offer(
      {
        schema: NEWEST_SCHEMA,
        version: VERSION,
        id,
        name,
        hooks: namesOf(number),
        bytes: estimatedBytes(database, number),
      },
      token,
    )
    if ('problem' in offer) return offer
    const { secret } = offer
    const url = given ?? offer.url
    const before = moves.find(id)
    const digest = before?.digest ?? null
    const move: Move = { id, application: number, name, phase: 'leaving', adminUrl: server, url, digest, hooks: [] }
    await commit(() => moves.put({ ...move, secret }))

    if (!(await answersCalls(clock, url))) {
      return giveUp(id, `${url}, where ${server} answers calls, cannot be reached from here: name another with --url.`)
    }
    say(`${server} takes it. Waiting for what is being sent.`)
    let devices = 0
    let frozenAt = 0
    try {
      const held = Promise.all([pool.hold(number), webhooks.hold(number)]).then(() => true)
      if (!(await within(clock, HOLD_MS, held, false))) {
        return await giveUp(
          id,
          'What is being sent was not answered for two minutes: try again when the gateways answer.',
        )
      }
      if (isStopped()) return await giveUp(id, STOPPED)
      await commit(() => {
        moves.put({ ...move, phase: 'frozen', hooks: namesOf(number) })
        guard.put(number)
      })
      frozenAt = clock.monotonic()
      directory.reload()
      say('Copying. Calls get 503 until it is there.')
      const counts = await copyRows({
        ...deps,
        application,
        publicKey: offer.publicKey,
        async send(step) {
          if (isStopped()) return STOPPED
          const said = await client.step(step, secret)
          if (said.kind === 'done') return null
          return 'problem' in said ? said.problem : `${server} has dropped the copy.`
        },
      })
      if (typeof counts === 'string') return await giveUp(id, counts)
      // Writes too late for the copy are refused until its rows here are erased.
      await commit(() => moves.setPhase(id, 'left'))
      devices = counts['device'] ?? 0
    } catch (error) {
      log.error('an application could not be moved', { application: id, error: describeError(error) })
      return giveUp(id, `The move failed: ${messageOf(error)}.`)
    }
    directory.reload()
    log.info('an application has left', { application: id, to: server })
    await Promise.race([tell(id, 'activate'), aborted(mover.signal)])
    return { kind: 'moved', url, devices, waitedMs: clock.monotonic() - frozenAt } as const
  }

  const namesOf = (number: number) => deps.hooks.list(number).map(({ name }) => name)

  /** Resumes the application here, and has the copy dropped. */
  async function giveUp(id: string, why: string): Promise<Problem> {
    const found = moves.find(id)
    // It has left, perhaps not on disk: the process ends, and the next start decides.
    if (found === null || found.phase === 'left') return problem(why)
    const { application } = found
    if (found.phase === 'frozen') {
      await untilWritten(() => {
        moves.setPhase(id, 'leaving')
        guard.end(application)
      })
      directory.reload()
    }
    pool.release(application)
    webhooks.release(application)
    void tell(id, 'drop')
    return problem(why)
  }

  function eraseLater(id: string): void {
    const cancel = clock.after(ERASE_AFTER_MS, () => {
      const found = moves.find(id)
      if (found?.phase === 'gone') deps.eraseApplication(found.application, id).catch(logError(log))
    })
    stopped.signal.addEventListener('abort', cancel)
  }

  return {
    move: moveTo,

    resume(): void {
      for (const { id, phase } of moves.list()) {
        if (phase === 'leaving') void tell(id, 'drop')
        if (phase === 'left') void tell(id, 'activate')
        if (phase === 'gone') eraseLater(id)
      }
    },

    /** `null`: it has ended. */
    async finish(id: string, commit: Commit): Promise<string | null> {
      const found = moves.find(id)
      if (found === null) return 'It has not moved.'
      if (found.phase !== 'gone') return `"${found.name}" ${whereText(found)}.`
      await deps.eraseApplication(found.application, id)
      await commit(() => moves.remove(id))
      directory.reload()
      return null
    },

    stop: (): void => stopped.abort(),
  }
}
