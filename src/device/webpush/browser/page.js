import { connect } from './client.js'

const app = decodeURIComponent(location.pathname.split('/').at(-1))
const [button, state, arrivals, hint] = ['register', 'state', 'arrivals', 'ios'].map((id) =>
  document.getElementById(id),
)

const bellhop = connect({ app, worker: '/webpush/worker.js', scope: location.pathname })

/** What comes from a push is text, whatever is in it. */
function show({ notification, data, app_badge: badge }) {
  const entry = document.createElement('li')
  const line = (name, text) => {
    const part = document.createElement(name)
    part.textContent = text
    entry.append(part)
  }
  line('strong', notification?.title ?? 'A push that shows nothing')
  if (notification?.body !== undefined) line('p', notification.body)
  const more = notification?.data ?? data
  if (more !== undefined) line('code', JSON.stringify(more))
  if (badge !== undefined) line('p', `Badge: ${badge}`)
  line('small', new Date().toLocaleTimeString())
  arrivals.prepend(entry)
}

/** `again`: at the press of the button also where nothing has changed. */
async function registerHere(again) {
  button.disabled = true
  state.textContent = 'Registering: the browser asks its push service for an endpoint …'
  try {
    const { token } = await bellhop.register({}, { again })
    state.textContent = `This browser is registered, at ${new URL(token).host}. Send it a push, and it appears.`
  } catch (error) {
    state.textContent = error.message
    button.disabled = false
  }
}

const canPush = 'serviceWorker' in navigator && 'PushManager' in window
// An iPad says that it is a Mac, of which none is touched.
const isPhoneOfApple =
  /iPhone|iPad/.test(navigator.userAgent) || (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1)
if (canPush) {
  bellhop.onMessage(show)
  button.addEventListener('click', () => void registerHere(true))
  // Who has said yes registers at each visit, as an app does at each launch.
  if (Notification.permission === 'granted') await registerHere(false)
} else {
  button.disabled = true
  hint.hidden = !isSecureContext || !isPhoneOfApple
  state.textContent = isSecureContext
    ? isPhoneOfApple
      ? 'Not in this tab:'
      : 'This browser takes no pushes here; in a private window, for one, none does.'
    : `A browser takes pushes from a page by https, or of its own machine, and this one is at ${location.origin}.`
}
