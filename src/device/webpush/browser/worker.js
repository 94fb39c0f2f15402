// Shows what a Bellhop sends, and opens its link. Pages of the site hear of it as a message, { bellhop: … }.

self.addEventListener('push', (event) => event.waitUntil(arrived(event.data)))
self.addEventListener('notificationclick', (event) => event.waitUntil(opened(event.notification)))

async function arrived(data) {
  const message = read(data)
  const { notification, app_badge: badge } = message
  const work = [tell(message)]
  if (badge !== undefined)
    work.push(badge === 0 ? self.navigator.clearAppBadge?.() : self.navigator.setAppBadge?.(badge))
  if (notification !== undefined) {
    const { title, navigate, data: more, ...options } = notification
    work.push(self.registration.showNotification(title, { ...options, data: { navigate, ...more } }))
  }
  await Promise.all(work)
}

async function opened(notification) {
  notification.close()
  const url = URL.parse(notification.data?.navigate ?? '/', self.registration.scope)
  if (url === null || !/^https?:$/.test(url.protocol)) return
  const open = await pages()
  const there = open.find((page) => page.url === url.href)
  await (there === undefined ? self.clients.openWindow(url.href) : there.focus())
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
