// @parse/node-apn as in its documentation, one notification and token at a time. Bundled for Node by ../packages.ts.
import { createRequire } from 'node:module'
import { generateKeyPairSync } from 'node:crypto'
import { COLLAPSE_ID, CONTENT, EXPIRATION, requestOf, TOPIC } from './request.ts'
import { runSender } from './run-sender.ts'

interface NodeApn {
  readonly Provider: new (options: object) => {
    send(notification: object, token: string): Promise<{ readonly failed: readonly unknown[] }>
  }
  readonly Notification: new (properties: object) => object
}

await runSender(500, ({ origin, ca }) => {
  const { Provider, Notification }: NodeApn = createRequire(import.meta.url)('@parse/node-apn')
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { hostname, port } = new URL(origin)
  const provider = new Provider({
    token: { key: privateKey.export({ type: 'pkcs8', format: 'pem' }), keyId: 'ABCDE12345', teamId: 'ABCDE12345' },
    address: hostname,
    port: Number(port),
    ca: [ca],
  })
  return async (n) => {
    const { token, apnsId } = requestOf(n)
    const notification = new Notification({
      aps: CONTENT,
      id: apnsId,
      topic: TOPIC,
      pushType: 'alert',
      priority: 10,
      expiry: EXPIRATION,
      collapseId: COLLAPSE_ID,
    })
    const { failed } = await provider.send(notification, token)
    if (failed.length > 0) throw new Error(JSON.stringify(failed))
  }
})
