// What a push says, wherever Expo puts it: pure functions.

/** Of expo-notifications, and of Apple for a notification that was swiped away. */
const TAPPED = 'expo.modules.notifications.actions.DEFAULT'
const DISMISSED = 'com.apple.UNNotificationDismissActionIdentifier'

/** Put there by APNs, FCM and Bellhop. */
const NOT_THE_APPS = /^(aps|bellhop|link|from|collapse_key|message_type|(google|gcm)\..*)$/

/** `null`: the app itself has made this notification. */
export function readPush({ request: { trigger, content } }) {
  if (trigger?.type !== 'push') return null
  const fields = fieldsIn(trigger, content)
  const data = Object.fromEntries(Object.entries(fields).filter(([name]) => !NOT_THE_APPS.test(name)))
  const { title = null, body = null } = content
  return { push: bellhopIn(fields).push ?? null, title, body, link: fields.link ?? null, data }
}

/** iOS; Android while the app runs; Android after a tap on what the system has shown. */
const fieldsIn = (trigger, content) => trigger.payload ?? trigger.remoteMessage?.data ?? content.data ?? {}

/** `{ withdrawn, tag }` of a push that removes another; `null`: it removes none. */
export function readWithdrawal({ request: { trigger, content } }) {
  return trigger?.type === 'push' ? withdrawalIn(fieldsIn(trigger, content)) : null
}

export function withdrawalIn(fields) {
  const { withdrawn, tag } = bellhopIn(fields)
  return withdrawn === undefined ? null : { withdrawn, tag }
}

/** What identifies a notification on the screen, for `isRemoved`. Android's system shows what Expo names by its tag. */
export function readShown(notification) {
  const { identifier } = notification.request
  const [, tag] = /^expo-notifications:.*[?&]tag=([^&]*)/.exec(identifier) ?? []
  const shownAs = tag === undefined ? identifier : decodeURIComponent(tag)
  return { push: readPush(notification)?.push ?? null, tag: shownAs }
}

/** `{ push, action, link, data }`, as `onOpen` hears it. */
export function readTap({ notification, actionIdentifier }) {
  const message = readPush(notification)
  if (message === null || actionIdentifier === DISMISSED) return null
  const { push, link, data } = message
  return { push, action: actionIdentifier === TAPPED ? null : actionIdentifier, link, data }
}

/** FCM has text only. */
function bellhopIn({ bellhop }) {
  if (typeof bellhop !== 'string') return bellhop ?? {}
  try {
    return JSON.parse(bellhop) ?? {}
  } catch {
    return {}
  }
}
