import type { VapidCredential } from '../../src/application/vapid.ts'
import { systemClock } from '../../src/clock.ts'
import { createVapidTokens } from '../../src/gateway/webpush/token.ts'
import type { Probe } from './probe.ts'

/** Where push services keep their endpoints; this one nobody has. */
const PATHS: Readonly<Record<string, string>> = {
  'https://fcm.googleapis.com': '/fcm/send/bellhop-conformance',
  'https://updates.push.services.mozilla.com': '/wpush/v2/bellhop-conformance',
  'https://wns2-par02p.notify.windows.com': '/w/?token=bellhop-conformance',
}

/** A message in the form of RFC 8188 that no browser can read: salt, record size, a key of 65 bytes, a record. */
function message(bytes: number): Buffer {
  const head = Buffer.alloc(21)
  head.writeUInt32BE(4096, 16)
  head[20] = 65
  const key = Buffer.alloc(65, 1)
  key[0] = 4
  return Buffer.concat([head, key, Buffer.alloc(bytes - 86, 1)])
}

/** Seven questions to a push service, for an endpoint that cannot be. `path`: of that; default the service's own form. */
export async function webPushProbes(
  vapid: VapidCredential,
  origin: string,
  path = PATHS[origin] ?? '/bellhop-conformance',
): Promise<readonly Probe[]> {
  const authorization = await createVapidTokens(vapid, systemClock).authorization(origin)
  const good = { authorization, ttl: '60', 'content-encoding': 'aes128gcm', urgency: 'normal' }
  const probe = (name: string, headers: Readonly<Record<string, string>>, bytes = 200): Probe => ({
    name: `${new URL(origin).hostname}: ${name}`,
    request: { path, headers, body: message(bytes) },
  })
  const { ttl, ...timeless } = good
  const { authorization: signature, ...unsigned } = good
  void [ttl, signature]
  return [
    probe('an endpoint that nobody has', good),
    probe('no TTL', timeless),
    probe('a TTL of 0', { ...good, ttl: '0' }),
    probe('a Topic of 13 characters', { ...good, topic: 'breaking-news' }),
    probe('a Topic of 33 characters', { ...good, topic: 't'.repeat(33) }),
    probe('no signature', unsigned),
    probe('a body of 4,097 bytes', good, 4097),
  ]
}
