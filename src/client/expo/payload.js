// What a push says, wherever Expo puts it: pure functions.

/** Of expo-notifications, and of Apple for a notification that was swiped away. */
const TAPPED = 'expo.modules.notifications.actions.DEFAULT'
const DISMISSED = 'com.apple.UNNotificationDismissActionIdentifier'

/** Put there by APNs, FCM and Bellhop. */
const NOT_THE_APPS = /^(aps|bellhop|link|from|collapse_key|message_type|(google|gcm)\..*)$/

/** `null`: the app itself has made this notification. */
export function readPush({ request: { trigger, content } }) {
  if (trigger?.type !== 'push') return null
  // iOS; Android while the app runs; Android after a tap on what the system has shown.
  const fields = trigger.payload ?? trigger.remoteMessage?.data ?? content.data ?? {}
  const data = Object.fromEntries(Object.entries(fields).filter(([name]) => !NOT_THE_APPS.test(name)))
  const { title = null, body = null } = content
  return { push: idIn(fields.bellhop), title, body, link: fields.link ?? null, data }
}

/** `{ push, action, link, data }`, as `onOpen` hears it. */
export function readTap({ notification, actionIdentifier }) {
  const message = readPush(notification)
  if (message === null || actionIdentifier === DISMISSED) return null
  const { push, link, data } = message
  return { push, action: actionIdentifier === TAPPED ? null : actionIdentifier, link, data }
}

/** FCM has text only. */
function idIn(bellhop) {
  if (typeof bellhop !== 'string') return bellhop?.push ?? null
  try {
    return JSON.parse(bellhop)?.push ?? null
  } catch {
    return null
  }
}
