import { expect, test } from 'bun:test'
import { MAX_WINDOW_BYTES, SettingId } from '../../../../src/gateway/transport/h2/frames.ts'
import { frame, SETTINGS, uint32, WINDOW_UPDATE } from '../../../support/frames.ts'
import { openConnection } from './peer.ts'

/** SETTINGS_INITIAL_WINDOW_SIZE. */
function initialWindow(bytes: number): Buffer {
  return frame(SETTINGS, 0, 0, Buffer.concat([Buffer.from([0, SettingId.initialWindowSize]), uint32(bytes)]))
}

test.each([
  ['as much as it has taken', 100, []],
  ['more than it has taken', 101, [{ kind: 'unknown' as const, reason: 'HTTP2FlowControlError' }]],
])('a peer with the largest window may give back %s of a request that was sent whole', (_, bytes, heardOf) => {
  const { connection, send } = openConnection()
  connection.receive(initialWindow(MAX_WINDOW_BYTES))
  const { heard } = send({ path: '/', headers: {}, body: 'b'.repeat(100) })
  connection.receive(frame(WINDOW_UPDATE, 0, 1, uint32(bytes)))
  expect(heard).toEqual(heardOf)
})
