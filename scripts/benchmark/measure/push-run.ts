import type { ServiceProcess } from '../setup/service-process.ts'

/** An accepted push, and when it was requested, in fractional ms since the Unix epoch. */
export interface PushRun {
  readonly id: string
  readonly postedAtMs: number
}

/** Times in ms since the Unix epoch; `null`: not yet. */
export interface PushState {
  readonly addressed: number
  readonly accepted: number
  readonly failed: number
  readonly finished: boolean
}

export const CONTENT = { platform: 0, msg: 'Hello', sound: 'default', badge: '' }

/** To all devices. `more`: fields added to the body, such as a filter. */
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

/** Waits for the end of a push. Throws unless exactly `count` devices accepted it. */
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

/** Fractional, unlike `Date.now()`, and comparable between processes. */
export function epochMs(): number {
  return performance.timeOrigin + performance.now()
}
