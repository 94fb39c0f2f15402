import { expect, test } from 'bun:test'
import type { Pem } from '../../src/gateway/simulator/certificate.ts'
import { readTlsFiles } from '../../src/http/tls-files.ts'
import type { TlsPair } from '../../src/http/tls-files.ts'
import { followTlsFiles } from '../../src/http/tls-follower.ts'
import { createLog } from '../../src/log.ts'
import type { ReadFile } from '../../src/system/read-file.ts'
import { makeCertificate } from '../support/certificate.ts'
import { createFakeClock } from '../support/fake-clock.ts'

const FILES = { certificate: 'fullchain.pem', key: 'privkey.pem' }
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const clockNow = Date.now()
const [year, other] = [makeCertificate(), makeCertificate()]
const short = makeCertificate({ validTo: new Date(clockNow + 15.5 * DAY_MS) })

/** A follower of files that the test writes. */
function follow(first: Pem, refusal: { error: Error | null } = { error: null }) {
  const clock = createFakeClock(clockNow)
  const events: string[] = []
  const used: TlsPair[] = []
  let onDisk = first
  const readFile: ReadFile = (path) => ({
    kind: 'read',
    bytes: Buffer.from(path === FILES.key ? onDisk.privateKey : onDisk.certificate),
  })
  const read = readTlsFiles(FILES, readFile)
  if (read.kind === 'problem') throw new Error(read.problem)
  const follower = followTlsFiles({
    files: FILES,
    first: read,
    readFile,
    clock,
    log: createLog('info', clock.now, (line) => void events.push(String(JSON.parse(line).event))),
    use(pair) {
      if (refusal.error !== null) throw refusal.error
      used.push(pair)
    },
  })
  return { clock, events, used, follower, put: (pair: Pem) => void (onDisk = pair) }
}

test('files that stay the same are left alone', () => {
  const { clock, events, used } = follow(year)
  clock.advance(DAY_MS)
  expect(used).toEqual([])
  expect(events).toEqual([])
})

test('that the certificate ends within 14 days is said once a day, and that it has ended', () => {
  const { clock, events } = follow(short)
  clock.advance(DAY_MS)
  expect(events).toEqual([])
  clock.advance(DAY_MS)
  expect(events).toEqual(['the TLS certificate expires soon and is not renewed'])
  clock.advance(14 * DAY_MS)
  expect(events).toHaveLength(15)
  expect(events.at(-1)).toBe('the TLS certificate has expired: clients refuse it')
})

test('a renewal ends the warnings', () => {
  const { clock, events, put, used } = follow(short)
  clock.advance(3 * DAY_MS)
  put(year)
  clock.advance(3 * DAY_MS)
  expect(used).toHaveLength(1)
  expect(events.slice(-2)).toEqual([
    'the TLS certificate expires soon and is not renewed',
    'the TLS certificate is renewed',
  ])
})

test('a listener that cannot take the new pair is tried again in a minute', () => {
  const refusal: { error: Error | null } = { error: new Error('Cannot listen on 127.0.0.1:443: EADDRINUSE.') }
  const { clock, events, put, used } = follow(year, refusal)
  put(other)
  clock.advance(2 * MINUTE_MS)
  expect(events).toEqual(['the TLS files are not used: Cannot listen on 127.0.0.1:443: EADDRINUSE.'])
  refusal.error = null
  clock.advance(MINUTE_MS)
  expect(used).toEqual([{ cert: other.certificate, key: other.privateKey }])
})

test('after stop nothing is put into use, not even by a look', () => {
  const { clock, used, follower, put } = follow(year)
  put(other)
  follower.stop()
  clock.advance(DAY_MS)
  follower.look()
  expect(used).toEqual([])
})
