// Shows what a Bellhop sends, opens its link or that of a button, and reports which. Pages of the site hear of what
// arrives as a message, { bellhop: …, scope }: the scope is that of the worker's registration.
'use strict'

// In a block of its own: the script shares its globals with the worker of a site that imports it.
{
  self.addEventListener('push', (event) => event.waitUntil(arrived(event.data)))
  self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(changed(event)))
  self.addEventListener('notificationclick', (event) => event.waitUntil(opened(event)))

  async function arrived(data) {
    const message = read(data)
    const { notification, app_badge: badge } = message
    const work = [tell(message)]
    if (badge !== undefined) work.push(shortly(setBadge(badge)))
    if (notification !== undefined) {
      const { title, navigate, actions, data: more, app_badge: _, ...options } = notification
      // A browser that knows these addresses would open them by itself, and the worker not hear of it.
      const links = actions && Object.fromEntries(actions.map((one) => [one.action, one.navigate]))
      const data = { ...more, navigate, ...(links && { actions: links }) }
      const buttons = actions && { actions: actions.map(({ action, title: text }) => ({ action, title: text })) }
      work.push(self.registration.showNotification(title, { ...options, ...buttons, data }))
    }
    await Promise.all(work)
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
    const { navigate = '/', actions = {}, bellhop } = notification.data ?? {}
    const said = action === '' ? { event: 'opened' } : { event: 'action', action }
    // A browser that opens no window here may still report, and the other way round.
    await Promise.allSettled([open(actions[action] ?? navigate), report({ ...said, id: bellhop?.push })])
  }

  async function open(address) {
    const url = URL.parse(address, self.registration.scope)
    if (url === null || !/^https?:$/.test(url.protocol)) return
    const there = (await pages()).find((page) => page.url === url.href)
    await (there === undefined ? self.clients.openWindow(url.href) : there.focus())
  }

  /** The device goes on under its new endpoint, with all that it has. */
  async function changed({ oldSubscription, newSubscription }) {
    const last = await remembered()
    if (last === undefined) return
    const options = { userVisibleOnly: true, applicationServerKey: last.publicKey }
    const next = newSubscription ?? (await self.registration.pushManager.subscribe(options))
    const { endpoint: token, keys } = next.toJSON()
    const replaces = oldSubscription?.endpoint ?? last.token
    const { ok } = await call('deviceToken', last, {
      token,
      platform: '2',
      keys,
      ...(replaces !== token && { replaces }),
    })
    // Else the next visit tells it, and what it takes the place of.
    if (ok) await (await self.caches.open('bellhop')).put(memory(), Response.json({ ...last, token }))
  }

  /** A push without an id is not reported. */
  async function report(said) {
    const last = await remembered()
    if (last === undefined || said.id === undefined) return
    await call('stats', last, { platform: '2', token: last.token, ...said })
  }

  function call(path, { home, app }, said) {
    const headers = { 'content-type': 'application/json', 'accept-version': '1', 'x-service-appid': app }
    return fetch(new URL(path, home), { method: 'PUT', headers, body: JSON.stringify(said) })
  }

  /** Where client.js has registered, and as what. */
  async function remembered() {
    return await (await self.caches.match(memory()))?.json()
  }

  function memory() {
    return new URL('?bellhop', self.registration.scope)
  }

  async function tell(message) {
    for (const page of await pages()) page.postMessage({ bellhop: message, scope: self.registration.scope })
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
}
