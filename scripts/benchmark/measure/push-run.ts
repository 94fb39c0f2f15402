import type { ServiceProcess } from '../setup/service-process.ts'

/** A push that was taken: when it was asked for, ms since the Unix epoch with a fraction. */
export interface PushRun {
  readonly id: string
  readonly postedAtMs: number
}

/** How far a push is. Times in ms since the Unix epoch; `null` while it is open. */
export interface PushState {
  /** Devices addressed. */
  readonly addressed: number
  readonly accepted: number
  readonly failed: number
  readonly finished: boolean
}

/** What all of the bench's pushes show. */
export const CONTENT = { platform: 0, msg: 'Hello', sound: 'default', badge: '' }

/** To all devices; `more`: fields of the body beside the content, such as a filter, or in its place. */
export async function pushToAll(service: Pick<ServiceProcess, 'call'>, more: object = {}): Promise<PushRun> {
  const postedAtMs = epochMs()
  const { id } = await service.call('POST', '/push/all', { ...CONTENT, ...more })
  return { id, postedAtMs }
}

async function stateOf(service: ServiceProcess, { id }: PushRun): Promise<PushState> {
  const { deliveries } = await service.admin(`/pushes/${id}`)
  const [{ t, s, failed, state }] = deliveries
  return { addressed: t, accepted: s, failed, finished: state === 'finished' }
}

/** Waits until a push is over. Throws when it was not accepted `count` times, and nothing else. */
export async function finished(service: ServiceProcess, run: PushRun, count: number, pollMs = 20): Promise<void> {
  for (;;) {
    const state = await stateOf(service, run)
    if (state.finished) {
      if (state.accepted === count && state.failed === 0) return
      throw new Error(`a push to ${count} devices came to ${JSON.stringify(state)}`)
    }
    await Bun.sleep(pollMs)
  }
}

/** The machine's clock, with a fraction, which `Date.now()` has not: so that another process can subtract. */
export function epochMs(): number {
  return performance.timeOrigin + performance.now()
}
