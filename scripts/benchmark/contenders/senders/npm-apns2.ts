// npm's apns2, one notification at a time. Bundled for Node by ../packages.ts.
import { generateKeyPairSync } from 'node:crypto'
import { createRequire } from 'node:module'
import { COLLAPSE_ID, CONTENT, EXPIRATION, requestOf, TOPIC } from './request.ts'
import { runSender } from './run-sender.ts'

interface Apns2 {
  readonly ApnsClient: new (options: object) => { client: object; send(notification: object): Promise<unknown> }
  readonly Notification: new (token: string, options: object) => object
}

interface Undici {
  readonly Pool: new (origin: string, options: object) => object
}

await runSender(1000, ({ origin, ca }) => {
  const load = createRequire(import.meta.url)
  const { ApnsClient, Notification }: Apns2 = load('apns2')
  const { Pool }: Undici = load('undici')
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const client = new ApnsClient({
    team: 'ABCDE12345',
    keyId: 'ABCDE12345',
    signingKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    defaultTopic: TOPIC,
  })
  // Its Pool, since apns2 itself only knows Apple's hosts on port 443.
  const options = { connections: 32, pipelining: 1, allowH2: true, maxConcurrentStreams: 100 }
  client.client = new Pool(origin, { ...options, connect: { ca } })
  return (n) => {
    const { token } = requestOf(n)
    const { alert, sound } = CONTENT
    return client.send(new Notification(token, { alert, sound, expiration: EXPIRATION, collapseId: COLLAPSE_ID }))
  }
})
