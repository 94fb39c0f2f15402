// Registers this browser with a Bellhop. Call `register` from a click: browsers ask for permission only then.
//
//   import { connect } from 'https://push.example.com/webpush/client.js'
//   const bellhop = connect({ app: 'app_…', worker: '/sw.js' })
//   await bellhop.register({ tag: ['beta'] })
//
// `worker` is a file of your own site, with one line: importScripts('https://push.example.com/webpush/worker.js')
import { refusalIn } from './core.js'
import { happens, jsonOf, remembered, takeTap } from './keeper.js'

const HOME = new URL('..', import.meta.url)

/**
 * `app`: the application ID. `worker`: the service worker of your site. `scope`: of the worker; default: its folder.
 * `home`: the server; default: where this script is from. `receipts`: the worker also reports that a push arrived. `clear`:
 * a tap here removes the notification from the user's phones.
 */
export function connect({ app, worker = '/sw.js', scope: named, home = HOME, receipts = false, clear = false }) {
  if (String(app).startsWith('bhs_')) {
    throw new Error('This is the secret of an application. It belongs to your backend. Here goes the ID, app_…')
  }
  const scope = new URL(named ?? '.', new URL(worker, location.href)).href
  let timer = null

  async function run(events, options = {}) {
    clearTimeout(timer)
    const found = await happens(scope, events, options)
    // oxlint-disable-next-line no-console -- for the site's developer
    for (const { kind, status, message } of found.told) console.warn(`Bellhop: ${kind} ${status}: ${message ?? ''}`)
    const { wait } = found
    // Longer waits end at the next visit.
    if (wait !== null)
      timer = setTimeout(() => void run([]), Math.min(Math.max(wait.until - Date.now(), 0) + 1, 2 ** 31 - 1))
    return found
  }

  /**
   * Where notifications are allowed and the key is known. `call`: makes the requests in another way. `again`: also where
   * nothing has changed since it was registered.
   */
  async function enrol({ publicKey, device = {}, call, again = false }) {
    const registration = await navigator.serviceWorker.register(worker, { scope: new URL(scope).pathname })
    await activeOf(registration)
    const { endpoint: token, keys } = (await subscriptionTo(registration.pushManager, publicKey)).toJSON()
    const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions()
    const fields = { timezone, locale: navigator.language, ...device }
    const config = { app, home: String(home), publicKey, receipts, clear }
    const last = await remembered(scope)
    // Another application knows nothing of this browser.
    const isOther = last?.app !== undefined && last.app !== app
    const anew = isOther ? { known: null, refused: null, wait: null, signOut: false, device: {}, reports: [] } : {}
    const sooner =
      again && !isOther && last?.known ? { known: { ...last.known, at: 0 }, refused: null, wait: null } : {}
    const options = { config: { ...config, ...anew, ...sooner }, ...(call && { call }) }
    const found = await run(
      [{ kind: 'resume' }, { kind: 'token', token, keys }, { kind: 'set', device: fields }],
      options,
    )
    const refused = refusalIn(found, Date.now())
    if (refused !== null) throw new Error(refused.message ?? `The answer was ${refused.status}.`)
    if (found.known?.token !== token) throw new Error('The server cannot be reached. The open page tries again.')
    return { token, ...found.record }
  }

  async function resume() {
    const last = await remembered(scope)
    if (last?.app === app && last.wait) await run([{ kind: 'resume' }])
  }
  // Where a browser allows no cache nothing waits.
  const resumed = () => void resume().catch(() => null)
  if ('addEventListener' in globalThis) globalThis.addEventListener('online', resumed)
  resumed()

  return {
    enrol,
    /**
     * Asks for permission and registers. `device`: more fields of PUT /deviceToken. `again`: also where nothing has changed
     * within a day. Resolves with the `token`.
     */
    async register(device = {}, { again = false } = {}) {
      // First of all: some browsers ask only at once after the click.
      if ((await Notification.requestPermission()) !== 'granted') throw new Error('Notifications are not allowed here.')
      const answer = await fetch(new URL(`webpush/${app}/key`, home))
      const { publicKey, message } = jsonOf(await answer.text()) ?? {}
      if (publicKey === undefined)
        throw new Error(message ?? `The request for the key was answered with ${answer.status}, and not by Bellhop.`)
      return await enrol({ publicKey, device, again })
    },
    /** Ends the subscription and unregisters the browser. */
    async unregister() {
      const registration = await navigator.serviceWorker.getRegistration(scope)
      await (await registration?.pushManager.getSubscription())?.unsubscribe()
      await run([{ kind: 'leave' }])
    },
    /** `proof`: from your backend; needed where the application verifies users. */
    login: (user, proof) => run([{ kind: 'login', user, ...(proof !== undefined && { proof }) }]).then(() => undefined),
    logout: () => run([{ kind: 'logout' }]).then(() => undefined),
    /** All tags of this browser; `[]`: none. */
    setTags: (tag) => run([{ kind: 'set', device: { tag } }]).then(() => undefined),
    /** Hears each push that arrives while the page is open, as the message is. Returns what ends it. */
    onMessage: (listener) => heard('bellhop', listener),
    /** Hears each tap: `{ push, action, link, data }`. A tap that opened the page is heard once, as soon as this is called. */
    onOpen(listener) {
      void takeTap(scope).then((tap) => tap !== null && listener(tap))
      return heard('bellhopTap', listener)
    },
  }

  function heard(name, listener) {
    const hear = ({ data }) => data?.[name] && data.scope === scope && listener(data[name])
    navigator.serviceWorker.addEventListener('message', hear)
    return () => navigator.serviceWorker.removeEventListener('message', hear)
  }
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

function base64url(buffer) {
  const text = btoa(String.fromCharCode(...new Uint8Array(buffer)))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
