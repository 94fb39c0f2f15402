import { sleep, within } from '../../clock.ts'
import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import type { Server } from '../../server/server.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import type { CommandContext } from '../command.ts'
import { PLATFORM } from '../../platform.ts'
import type { Platform } from '../../platform.ts'

/** It takes about 100 ms on loopback. */
const PATIENCE_MS = 30_000

const LOOK_MS = 20

const DEVICES: readonly {
  readonly platform: Platform
  readonly token: string
  readonly tag?: readonly string[]
  readonly active?: readonly string[]
  readonly alias?: string
}[] = [
  { token: 'a1'.repeat(32), platform: 0, tag: ['beta'], alias: 'ada' },
  { token: 'b2'.repeat(32), platform: 0, active: ['news'] },
  { token: 'demo-android-registration-id', platform: 1, tag: ['beta'] },
]

const HELLO = { title: 'Bellhop', msg: 'Hello, beta testers', sound: 'default', badge: '+1', tags: ['beta'] }

/** By the API and real HTTP/2. `null`: no problem. */
export async function demonstrate(
  server: Pick<Server, 'url' | 'simulator'>,
  { id, secret }: { readonly id: string; readonly secret: string },
  { stdout, clock }: Pick<CommandContext, 'stdout' | 'clock'>,
): Promise<Problem | null> {
  const headers = {
    'accept-version': '1',
    'content-type': 'application/json',
    'x-service-appid': id,
    'x-service-secret': secret,
  }
  const call = async (method: string, path: string, body?: unknown) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(server.url + path, { method, headers, proxy: false, ...sent })
    const answer: unknown = await response.json()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
    return answer
  }

  for (const device of DEVICES) {
    await call('PUT', '/deviceToken', device)
    const { platform, token, tag } = device
    stdout(`registered  ${PLATFORM[platform].name.padEnd(7)}  ${token.slice(0, 12)}…  ${tag?.join() ?? ''}\n`)
  }
  const preview = (await call('POST', '/push/preview', HELLO)) as Preview
  const { t, apns, fcm } = preview
  stdout(`previewed   ${t} devices; ${apns.bytes} bytes for APNs, ${fcm.bytes} for FCM\n\n`)

  const simulator = await server.simulator()
  const all = Promise.withResolvers<'arrived'>()
  let arrived = 0
  simulator.onArrival(({ provider, token, status, body }) => {
    stdout(`arrived     ${provider.padEnd(7)}  ${token.slice(0, 12)}…  ${status}  ${jsonLine(body)}`)
    arrived++
    if (arrived === t) all.resolve('arrived')
  })
  const push = (await call('POST', '/push/all', HELLO)) as { readonly id: string }
  stdout(`pushed      ${jsonLine(push)}\n`)
  const end = await within(clock, PATIENCE_MS, all.promise, 'late')
  if (end === 'late') return problem(`Only ${arrived} of ${t} notifications arrived.`)

  for (;;) {
    const status = (await call('GET', `/push/${push.id}`)) as { readonly state: string }
    if (status.state !== 'finished') await sleep(clock, LOOK_MS)
    else {
      stdout(`\nstatus      ${jsonLine(status)}`)
      return null
    }
  }
}

interface Preview {
  readonly t: number
  readonly apns: { readonly bytes: number }
  readonly fcm: { readonly bytes: number }
}
