import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeVapid } from '../../src/application/vapid.ts'
import { systemClock } from '../../src/clock.ts'
import { startSimulator } from '../../src/gateway/simulator/simulator.ts'
import type { Simulator } from '../../src/gateway/simulator/simulator.ts'
import { directoryOfTests } from '../support/directory-of-tests.ts'
import { startGateway } from '../support/gateway.ts'
import { http11Answer, startHttp11Gateway } from '../support/http11-gateway.ts'
import { ask } from './probe.ts'
import { compare, reportOf, runConformance } from './run.ts'
import { webPushProbes } from './webpush-probes.ts'

/* Against the simulator in the place of the real gateways: nothing leaves this machine. */

let simulator: Simulator
beforeAll(async () => {
  simulator = await startSimulator({ clock: systemClock })
})
afterAll(() => simulator[Symbol.asyncDispose]())
const directory = directoryOfTests('bellhop-conformance')

async function run(...argv: readonly string[]) {
  const printed: string[] = []
  const exitCode = await runConformance(argv, (text) => printed.push(text))
  return { exitCode, text: printed.join('\n') }
}

function file(name: string, content: string): string {
  const path = join(directory, name)
  writeFileSync(path, content)
  return path
}

/** How `apns` is called for the simulator's own key. */
function apns(url: string, ca: string): readonly string[] {
  const { p8, keyId, teamId, topic } = simulator.issue('app').apnsKey
  const key = ['--key', file('key.p8', p8), '--key-id', keyId, '--team-id', teamId, '--topic', topic]
  return ['apns', ...key, '--url', url, '--ca', file('ca.pem', ca)]
}

describe('bun run conformance', () => {
  test('asks nobody without --yes', async () => {
    const { streams } = simulator.counts().apns
    const { exitCode, text } = await run(...apns(simulator.apnsUrl, simulator.ca))
    expect([exitCode, text]).toEqual([2, 'This sends requests to a real gateway. Add --yes to do so, or --help.'])
    expect(simulator.counts().apns.streams).toBe(streams)
  })

  test('finds a gateway that answers as the stand-in does to be no different, and tells no name of the key', async () => {
    const { exitCode, text } = await run(...apns(simulator.apnsUrl, simulator.ca), '--yes')
    expect(exitCode).toBe(0)
    expect(text).toContain(': 13 questions, 0 answered otherwise than by the stand-in.')
    expect(text).toContain('| a device token that nobody has | 400 BadDeviceToken | 400 BadDeviceToken |  |')
    expect(text).toContain('| a signature by another key | 403 InvalidProviderToken | 403 InvalidProviderToken |  |')
    expect(text).toContain('| a body of 4,097 bytes | 413 PayloadTooLarge | 413 PayloadTooLarge |  |')
    const { keyId, teamId, topic } = simulator.issue('app').apnsKey
    for (const secret of [keyId, teamId, topic]) expect(text).not.toContain(secret)
  })

  test('shows what another gateway answers, and where it differs', async () => {
    await using gateway = await startGateway(() => ({ status: 418, body: '<h1>I am\n a | teapot</h1>' }))
    const { text } = await run(...apns(gateway.origin, gateway.ca), '--yes')
    expect(text).toContain('| a device token that nobody has | 418 I am a \\| teapot | 400 BadDeviceToken | differs |')
    expect(gateway.calls).toHaveLength(12)
  })

  test('asks a push service seven questions for an endpoint that nobody has', async () => {
    const vapid = makeVapid('mailto:conformance@example.com')
    simulator.accept(vapid)
    const { webPushUrl: origin, ca } = simulator
    const probes = await webPushProbes(vapid, origin, '/notfound:1')
    const compared = await compare(probes, { origin, ca }, { origin, ca })
    expect(
      compared.map(({ name, gateway, standIn }) => [name.replace(/^.*: /, ''), gateway, gateway === standIn]),
    ).toEqual([
      ['an endpoint that nobody has', '404 NotFound', true],
      ['no TTL', '400 BadTtl', true],
      ['a TTL of 0', '404 NotFound', true],
      ['a Topic of 13 characters', '404 NotFound', true],
      ['a Topic of 33 characters', '400 BadTopic', true],
      ['no signature', '401 MissingAuthorization', true],
      ['a body of 4,097 bytes', '413 PayloadTooLarge', true],
    ])
    expect(reportOf('webpush', compared).split('\n')).toHaveLength(11)
  })

  test('tells of a push service that speaks HTTP/1.1 only, and of one that is not there', async () => {
    await using older = await startHttp11Gateway((call) => call.write(http11Answer(404, '{"errno":102}')))
    const [probe] = await webPushProbes(makeVapid('mailto:conformance@example.com'), older.origin)
    if (probe === undefined) throw new Error('no probe')
    expect(await ask(older, probe)).toBe('404 over HTTP/1.1 errno 102')
    expect(await ask({ origin: 'https://127.0.0.1:1', ca: undefined }, probe)).toBe('ECONNREFUSED')
  })
})
