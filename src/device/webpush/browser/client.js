// Registers this browser with a Bellhop. Call `register` from a click: browsers ask for leave only then.
//
//   import { register } from 'https://push.example.com/webpush/client.js'
//   await register({ app: 'app_…', worker: '/sw.js', device: { user: 'ann', tag: ['beta'] } })
//
// `worker` is a file of your own site, with one line: importScripts('https://push.example.com/webpush/worker.js')

const HOME = new URL('..', import.meta.url)

/** Resolves with the record of the device. `device`: more fields of PUT /deviceToken. `scope`: of the worker. */
export async function register({ app, worker = '/sw.js', scope, device = {}, home = HOME }) {
  const { publicKey } = await answerOf(fetch(new URL(`webpush/${app}/key`, home)))
  if ((await Notification.requestPermission()) !== 'granted') throw new Error('Notifications are not allowed here.')
  const registration = await navigator.serviceWorker.register(worker, scope === undefined ? {} : { scope })
  await activeOf(registration)
  const { endpoint, keys } = (await subscriptionTo(registration.pushManager, publicKey)).toJSON()
  const last = localStorage.getItem(`bellhop ${app}`)
  const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions()
  const said = { timezone, locale: navigator.language, ...device, token: endpoint, platform: '2', keys }
  const record = await answerOf(
    fetch(new URL('deviceToken', home), {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'accept-version': '1', 'x-service-appid': app },
      body: JSON.stringify(last === null || last === endpoint ? said : { ...said, replaces: last }),
    }),
  )
  localStorage.setItem(`bellhop ${app}`, endpoint)
  // For the worker, which has no localStorage, to report what was opened.
  const where = Response.json({ home: String(home), app, token: endpoint })
  await (await caches.open('bellhop')).put(new URL('bellhop.json', registration.scope), where)
  return record
}

/** A subscription is bound to the key that it was made with: one of another key ends. */
async function subscriptionTo(manager, publicKey) {
  const found = await manager.getSubscription()
  if (found !== null && base64url(found.options.applicationServerKey) === publicKey) return found
  await found?.unsubscribe()
  return manager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
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
