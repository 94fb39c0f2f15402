import { expect } from 'bun:test'
import type { Reply, SimulatedAnswer } from '../../src/gateway/simulator/http2/reply.ts'
import { createFakeClock } from './fake-clock.ts'
import { startService } from './service.ts'
import type { Call, LogLine, Service, ServiceOptions } from './service.ts'

/** A service that sends to its simulator, by a clock that the test moves. */
export async function startSending(options: Omit<ServiceOptions, 'clock'> = {}) {
  const clock = createFakeClock()
  const service = await startService({ clock, random: () => 0.5, ...options })
  return { clock, service, simulator: await service.server.simulator() }
}

/** The token of the device number `n`: in the order of the numbers, up to 99,999. */
export function tokenOf(platform: 0 | 1, n: number): string {
  return platform === 0 ? `a1${String(n).padStart(62, '0')}` : `phone:${String(n).padStart(5, '0')}`
}

export function tokensOf(platform: 0 | 1, count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => tokenOf(platform, n))
}

/** Registers a device, which must be new. */
export async function registerDevice(service: Service, device: object, call?: Call): Promise<void> {
  expect(await service.put('/deviceToken', device, call)).toMatchObject({ status: 201 })
}

/** As many as a call takes. */
const BATCH = 500

/** Registers many devices. Returns their tokens. */
export async function registerDevices(
  service: Service,
  platform: 0 | 1,
  tokens: readonly string[],
  call?: Call,
): Promise<readonly string[]> {
  for (let from = 0; from < tokens.length; from += BATCH) {
    const body = { platform: String(platform), tokens: tokens.slice(from, from + BATCH) }
    expect(await service.put('/deviceToken/batch', body, call)).toMatchObject({ status: 201 })
  }
  return tokens
}

/** Pushes "Hello" to iOS, or as `more` says; the push must be accepted. Returns its id. */
export async function acceptedPush(
  service: Service,
  path: '/push/all' | '/push/one',
  more: object = {},
  call?: Call,
): Promise<string> {
  const answer = await service.post(path, { platform: 0, msg: 'Hello', sound: '', badge: '', ...more }, call)
  expect(answer).toMatchObject({ status: 200 })
  return answer.body.id
}

/** Resolves when the push was sent to everybody. `platform`: on this one; default: on any. */
export function pushSent(service: Service, id: string, platform?: number): Promise<LogLine> {
  return service.logged(
    (line) =>
      line.event === 'push sent' && line['push'] === id && (platform === undefined || line['platform'] === platform),
  )
}

/** What the log has of pauses. */
export const pausesIn = (service: Service): LogLine[] => service.log.filter(({ event }) => event === 'sending paused')

/** An answer of APNs that is no success. */
export function refusal(status: number, reason: string, headers: SimulatedAnswer['headers'] = {}) {
  return { kind: 'answer', answer: { status, headers, body: JSON.stringify({ reason }) } } as const satisfies Reply
}
