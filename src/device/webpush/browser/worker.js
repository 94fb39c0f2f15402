// Shows what a Bellhop sends, opens its link or that of a button, and reports which. Pages of the site hear of what
// arrives as a message, { bellhop: … }.

self.addEventListener('push', (event) => event.waitUntil(arrived(event.data)))
self.addEventListener('notificationclick', (event) => event.waitUntil(opened(event)))

async function arrived(data) {
  const message = read(data)
  const { notification, app_badge: badge } = message
  const work = [tell(message)]
  if (badge !== undefined)
    work.push(badge === 0 ? self.navigator.clearAppBadge?.() : self.navigator.setAppBadge?.(badge))
  if (notification !== undefined) {
    const { title, navigate, actions, data: more, ...options } = notification
    // A browser that knows these addresses would open them by itself, and the worker not hear of it.
    const links = actions && Object.fromEntries(actions.map((one) => [one.action, one.navigate]))
    const data = { ...more, navigate, ...(links && { actions: links }) }
    const buttons = actions && { actions: actions.map(({ action, title: text }) => ({ action, title: text })) }
    work.push(self.registration.showNotification(title, { ...options, ...buttons, data }))
  }
  await Promise.all(work)
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

/** To where client.js has registered, and said so; a push without an id is not reported. */
async function report(said) {
  const entry = await self.caches.match(new URL('bellhop.json', self.registration.scope))
  if (entry === undefined || said.id === undefined) return
  const { home, app, token } = await entry.json()
  const headers = { 'content-type': 'application/json', 'accept-version': '1', 'x-service-appid': app }
  const body = JSON.stringify({ platform: '2', token, ...said })
  await fetch(new URL('stats', home), { method: 'PUT', headers, body })
}

async function tell(message) {
  for (const page of await pages()) page.postMessage({ bellhop: message })
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
