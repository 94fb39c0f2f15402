// Shows what a Bellhop sends, opens its link or that of a button, and reports which. Pages of the site hear of what
// arrives as a message, { bellhop: …, scope }: the scope is that of the worker's registration.
import { happens, keepTap, remembered } from './keeper.js'
import { isRemoved } from './withdrawal.js'

self.addEventListener('push', (event) => event.waitUntil(arrived(event.data)))
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(changed(event)))
self.addEventListener('notificationclick', (event) => event.waitUntil(opened(event)))

async function arrived(data) {
  const message = read(data)
  const { notification, app_badge: badge } = message
  const withdrawal = message.data?.bellhop ?? {}
  if (withdrawal.withdrawn !== undefined) return await remove(withdrawal)
  const work = [tell('bellhop', message)]
  if (badge !== undefined) work.push(shortly(setBadge(badge)))
  if (notification !== undefined) {
    const { title, navigate, actions, data: more, app_badge: _, ...options } = notification
    // A browser that knows these addresses would open them by itself, and the worker not hear of it.
    const links = actions && Object.fromEntries(actions.map((one) => [one.action, one.navigate]))
    const data = { ...more, bellhop: { ...more?.bellhop, link: navigate, links } }
    const buttons = actions && { actions: actions.map(({ action, title: text }) => ({ action, title: text })) }
    work.push(self.registration.showNotification(title, { ...options, ...buttons, data }))
  }
  await Promise.all(work)
  const { push: id } = notification?.data?.bellhop ?? message.data?.bellhop ?? {}
  if (id !== undefined && (await remembered(self.registration.scope))?.receipts === true)
    await report({ id, event: 'received' })
}

async function remove(withdrawal) {
  for (const one of await self.registration.getNotifications()) {
    if (isRemoved(withdrawal, { push: one.data?.bellhop?.push ?? null, tag: one.tag })) one.close()
  }
}

/**
 * Waits at most two seconds, whether it succeeds or not. On iOS 26.5 a badge may never be set (firebase-js-sdk#8416), and a
 * worker that is still at it after ten is killed: later pushes then come minutes late.
 */
function shortly(work) {
  return Promise.race([
    Promise.resolve(work).catch(() => undefined),
    new Promise((resolve) => void setTimeout(resolve, 2_000)),
  ])
}

function setBadge(badge) {
  const { navigator } = self
  return badge === 0 ? navigator.clearAppBadge?.() : navigator.setAppBadge?.(badge)
}

async function opened({ notification, action }) {
  notification.close()
  const { bellhop, ...data } = notification.data ?? {}
  const { push = null, link: own = '/', links } = bellhop ?? {}
  const link = links?.[action] ?? own
  const tap = { push, action: action === '' ? null : action, link, data }
  const said = action === '' ? { event: 'opened' } : { event: 'action', action }
  // A browser that opens no window here may still report, and the other way round. A push without an ID is not reported.
  await Promise.allSettled([open(link, tap), push !== null && report({ ...said, id: push })])
}

async function open(address, tap) {
  const { scope } = self.registration
  const url = URL.parse(address, scope)
  if (url === null || !/^https?:$/.test(url.protocol)) return
  const there = (await pages()).find((page) => page.url === url.href)
  if (there === undefined) {
    // No page of another site would take it, but the next one here.
    if (url.origin === location.origin) await keepTap(scope, tap)
    await self.clients.openWindow(url.href)
  } else {
    await there.focus()
    there.postMessage({ bellhopTap: tap, scope })
  }
}

/** The device goes on under its new endpoint, with all that it has. What cannot be said now is said at the next visit. */
async function changed({ newSubscription }) {
  const last = await remembered(self.registration.scope)
  if (last === undefined) return
  const options = { userVisibleOnly: true, applicationServerKey: last.publicKey }
  const next = newSubscription ?? (await self.registration.pushManager.subscribe(options))
  const { endpoint: token, keys } = next.toJSON()
  await happens(self.registration.scope, [{ kind: 'token', token, keys }])
}

/** Where no page has registered there is nowhere to report to. */
async function report(said) {
  const { scope } = self.registration
  const kept = await remembered(scope)
  const clear = kept?.clear === true && said.event !== 'received' && { clear: true }
  if (kept !== undefined) await happens(scope, [{ kind: 'report', ...said, ...clear }])
}

async function tell(name, message) {
  for (const page of await pages()) page.postMessage({ [name]: message, scope: self.registration.scope })
}

function pages() {
  return self.clients.matchAll({ type: 'window', includeUncontrolled: true })
}

/** What is not JSON is nothing that a Bellhop has sent. */
function read(data) {
  try {
    return data?.json() ?? {}
  } catch {
    return {}
  }
}
