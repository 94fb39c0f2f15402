// web-push at its best: builds requests as in its documentation, but sends them over HTTP/2, where the package itself
// uses HTTP/1.1. Bundled for Node by ../packages.ts; also runs on Bun.
import { createECDH, randomBytes } from 'node:crypto'
import { connect } from 'node:http2'
import { createRequire } from 'node:module'
import { COLLAPSE_ID } from './request.ts'
import { runSender } from './run-sender.ts'

interface WebPush {
  generateVAPIDKeys(): { readonly publicKey: string; readonly privateKey: string }
  generateRequestDetails(
    subscription: object,
    payload: string,
    options: object,
  ): { readonly headers: Readonly<Record<string, string | number>>; readonly body: Buffer }
}

/** What the service sends for the same push. */
const MESSAGE = JSON.stringify({
  web_push: 8030,
  notification: {
    title: 'Hello',
    navigate: '/',
    tag: COLLAPSE_ID,
    data: { bellhop: { push: COLLAPSE_ID } },
  },
})

/** Browsers repeat: a list of all would count as the sender's memory. */
const KEYS = Array.from({ length: 1024 }, () => ({
  p256dh: createECDH('prime256v1').generateKeys('base64url'),
  auth: randomBytes(16).toString('base64url'),
}))

/** Resolves to the status. */
type Post = (path: string, headers: Record<string, string>, body: Uint8Array) => Promise<number | undefined>

const isBun = process.versions.bun !== undefined

await runSender(isBun ? 1000 : 250, ({ origin, ca }) => {
  const webPush: WebPush = createRequire(import.meta.url)('web-push')
  const vapidDetails = { subject: 'mailto:bench@example.com', ...webPush.generateVAPIDKeys() }
  const options = { TTL: 86_400, urgency: 'high', contentEncoding: 'aes128gcm', vapidDetails }
  const post = isBun ? byFetch(origin, ca) : bySession(origin, ca)
  return async (n) => {
    const path = `/push/${n}`
    const subscription = { endpoint: origin + path, keys: KEYS[n % KEYS.length] }
    const { headers, body } = webPush.generateRequestDetails(subscription, MESSAGE, options)
    const texts = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])
    const status = await post(path, Object.fromEntries(texts), body)
    if (status !== 200) throw new Error(`${status}`)
  }
})

function bySession(origin: string, ca: string): Post {
  const session = connect(origin, { ca })
  return (path, headers, body) =>
    new Promise((resolve, reject) => {
      const stream = session.request({ ':method': 'POST', ':path': path, ...headers })
      let status: number | undefined
      stream.on('response', (answer) => (status = answer[':status']))
      stream.on('end', () => resolve(status))
      stream.on('error', reject)
      stream.resume()
      stream.end(body)
    })
}

/** Bun's http2 is slower. */
function byFetch(origin: string, ca: string): Post {
  const session = new Bun.FetchSession({ tls: { ca }, proxy: false })
  return async (path, headers, body) => {
    const response = await session.fetch(origin + path, {
      method: 'POST',
      protocol: 'http2',
      redirect: 'manual',
      headers,
      body,
    })
    await response.text()
    return response.status
  }
}
