import { describe, expect, test } from 'bun:test'
import { makeVapid } from '../../../src/application/vapid.ts'
import { systemClock } from '../../../src/clock.ts'
import { probeWebPush } from '../../../src/doctor/gateways/webpush-probe.ts'
import { h2Transport } from '../../../src/gateway/transport/choose-transport.ts'
import { startGateway } from '../../support/gateway.ts'
import type { Gateway } from '../../support/gateway.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { http11Answer, startHttp11Gateway } from '../../support/http11-gateway.ts'
import { expectFinding } from '../expect-finding.ts'

const VAPID = makeVapid('mailto:push@shop.example')
/** Clients try only the first authority of a name. */
const ANOTHER = makeCertificate({ authority: 'another' })
/** Nothing listens there. */
const NOWHERE = 'https://127.0.0.1:1'

function probe(gateway: Gateway, services: readonly string[], { ca = gateway.ca } = {}) {
  return probeWebPush({
    application: 'app_1',
    credential: VAPID,
    services,
    ca,
    openTransport: h2Transport(systemClock, null),
    clock: systemClock,
  })
}

const hostOf = ({ origin }: Gateway) => new URL(origin).host

describe('doctor asks a push service', () => {
  test('by a push without a message for an endpoint that cannot be', async () => {
    await using gateway = await startGateway(() => ({ status: 404 }))
    expectFinding(
      await probe(gateway, [gateway.origin]),
      'ok',
      `${hostOf(gateway)} can be sent to over HTTP/2, with the VAPID key of mailto:push@shop.example.`,
      null,
    )
    const [call] = gateway.calls
    expect(call).toMatchObject({ method: 'POST', path: '/bellhop-doctor', body: '' })
    expect(call?.headers['authorization']).toEndWith(`, k=${VAPID.publicKey}`)
  })

  test('below the path that the operator names, with a token for its origin', async () => {
    await using gateway = await startGateway(() => ({ status: 404 }))
    expectFinding(await probe(gateway, [`${gateway.origin}/apps/push`]), 'ok')
    const [call] = gateway.calls
    expect(call).toMatchObject({ path: '/apps/push/bellhop-doctor' })
    const [, jwt = ''] = /t=([^,]*)/.exec(call?.headers['authorization'] ?? '') ?? []
    expect(JSON.parse(atob(jwt.split('.')[1] ?? ''))).toMatchObject({ aud: gateway.origin })
  })

  test('and says which speaks HTTP/1.1 only', async () => {
    await using gateway = await startGateway(() => ({ status: 404 }))
    await using older = await startHttp11Gateway((call) => call.write(http11Answer(404)), { certificate: ANOTHER })
    const { host } = new URL(older.origin)
    const options = { ca: `${gateway.ca}\n${older.ca}` }
    expectFinding(
      await probe(gateway, [gateway.origin, older.origin], options),
      'ok',
      `${hostOf(gateway)} can be sent to over HTTP/2, ${host} can be sent to over HTTP/1.1, with the VAPID key of mailto:push@shop.example.`,
      null,
    )
  })

  test('and says which cannot be reached', async () => {
    await using gateway = await startGateway(() => ({ status: 410 }))
    expectFinding(
      await probe(gateway, [gateway.origin, NOWHERE]),
      'warning',
      `${hostOf(gateway)} can be sent to over HTTP/2; 127.0.0.1:1 cannot be reached (ECONNREFUSED): pushes to browsers there wait.`,
      'Allow outgoing connections to port 443 of 127.0.0.1:1.',
    )
    expectFinding(
      await probe(gateway, [NOWHERE]),
      'failed',
      'No push service is reachable (ECONNREFUSED): nothing reaches browsers.',
      'Allow outgoing connections to port 443 of 127.0.0.1:1.',
    )
  })

  test('and warns where all refuse', async () => {
    await using gateway = await startGateway(() => ({ status: 403 }))
    expectFinding(
      await probe(gateway, [gateway.origin]),
      'warning',
      `Every push service that was reached refuses a push to an endpoint that cannot be as not allowed: ${hostOf(gateway)}.`,
      'Set the clock of this machine; if it is right, browsers that were subscribed with another key must subscribe again: bellhop app show app_1 tells the key.',
    )
  })
})
