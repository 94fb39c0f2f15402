import { expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { requestOver } from '../../../src/gateway/transport/http2-request.ts'
import type { Requested } from '../../../src/gateway/transport/session.ts'
import { startFrameGateway } from '../../support/frame-gateway.ts'
import { NOTE } from './ways.ts'

test('a frame that cannot be sent ends the session', async () => {
  await using gateway = await startFrameGateway(() => undefined)
  const session = connect(gateway.origin, { ca: gateway.ca })
  await once(session, 'remoteSettings')
  const request = session.request.bind(session)
  session.request = (...options) => {
    const stream = request(...options)
    // What Bun says of it, and when.
    process.nextTick(() => stream.emit('frameError', 1, 2))
    return stream
  }
  const failed = once(session, 'error')
  const { promise, resolve } = Promise.withResolvers<Requested>()
  requestOver(session, 'localhost', NOTE, () => 'HTTP2ProtocolError', resolve)
  await failed
  expect(await promise).toEqual({ kind: 'unknown', reason: 'HTTP2ProtocolError' })
  await gateway.until(() => gateway.openConnections === 0)
})
