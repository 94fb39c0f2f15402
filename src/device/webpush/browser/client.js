// Registers this browser with a Bellhop. Call `register` from a click: browsers ask for leave only then.
//
//   import { register } from 'https://push.example.com/webpush/client.js'
//   await register({ app: 'app_…', worker: '/sw.js', device: { user: 'ann', tag: ['beta'] } })
//
// `worker` is a file of your own site, with one line: importScripts('https://push.example.com/webpush/worker.js')

const HOME = new URL('..', import.meta.url)

/** Resolves with the record of the device. `device`: more fields of PUT /deviceToken. `scope`: of the worker. */
export async function register({ app, worker = '/sw.js', scope, device = {}, home = HOME }) {
  // First of all: some browsers ask for leave only at once after the click.
  if ((await Notification.requestPermission()) !== 'granted') throw new Error('Notifications are not allowed here.')
  const { publicKey } = await answerOf(fetch(new URL(`webpush/${app}/key`, home)))
  const headers = { 'content-type': 'application/json', 'accept-version': '1', 'x-service-appid': app }
  const put = (said) =>
    answerOf(fetch(new URL('deviceToken', home), { method: 'PUT', headers, body: JSON.stringify(said) }))
  return await enrol({ app, publicKey, worker, scope, device, home, put })
}

/**
 * The same where notifications are allowed and the key is known. `put`: makes the call, with the body that it gets, and
 * resolves with the record.
 */
export async function enrol({ app, publicKey, worker, scope, device = {}, home, put }) {
  const registration = await navigator.serviceWorker.register(worker, scope === undefined ? {} : { scope })
  await activeOf(registration)
  const { endpoint, keys } = (await subscriptionTo(registration.pushManager, publicKey)).toJSON()
  // What the worker needs too, to report what was opened and to register anew when the subscription changes.
  const [memory, place] = [await caches.open('bellhop'), new URL('?bellhop', registration.scope)]
  const last = await (await memory.match(place))?.json()
  const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions()
  const said = { timezone, locale: navigator.language, ...device, token: endpoint, platform: '2', keys }
  const isOther = last !== undefined && last.app === app && last.token !== endpoint
  const record = await put(isOther ? { ...said, replaces: last.token } : said)
  await memory.put(place, Response.json({ home: String(home), app, token: endpoint, publicKey }))
  return record
}

/** A subscription is bound to the key that it was made with: one of another key ends. */
async function subscriptionTo(manager, publicKey) {
  const found = await manager.getSubscription()
  if (found !== null && base64url(found.options.applicationServerKey) === publicKey) return found
  await found?.unsubscribe()
  try {
    return await manager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
  } catch (cause) {
    throw new Error(REFUSALS[cause.name] ?? `This browser refused to subscribe: ${cause.message}`, { cause })
  }
}

/** Push API, 5.1: the browser's own messages are for developers. */
const REFUSALS = {
  AbortError: 'The push service of this browser can’t be reached, or push is turned off in its settings.',
  NotAllowedError: 'Notifications are blocked for this site. Allow them in the browser’s settings, then try again.',
}

function activeOf({ active, installing, waiting }) {
  const next = installing ?? waiting
  if (active !== null || next === null) return null
  return new Promise((resolve) => {
    next.addEventListener('statechange', () => next.state === 'activated' && resolve())
  })
}

async function answerOf(response) {
  const { ok, status, body } = await response.then(async (one) => ({
    ok: one.ok,
    status: one.status,
    body: await one.json(),
  }))
  if (!ok) throw new Error(body.message ?? `The answer was ${status}.`)
  return body
}

function base64url(buffer) {
  const text = btoa(String.fromCharCode(...new Uint8Array(buffer)))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
