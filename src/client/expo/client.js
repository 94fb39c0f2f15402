// Registers this phone with a Bellhop, and reports what its user opens.
import * as Notifications from 'expo-notifications'
import { useEffect, useRef } from 'react'
import { AppState, Platform } from 'react-native'
import { refusalIn } from './core.js'
import { createKeeper } from './keeper.js'
import { readPush, readShown, readTap, readWithdrawal, withdrawalIn } from './payload.js'
import { isRemoved } from './withdrawal.js'

let connected = null

/** The same client for the whole app. The options are those of the first call: index.d.ts. */
export function connect(options) {
  if (String(options.app).startsWith('bhs_')) {
    throw new Error('This is the secret of an application. It belongs to your backend. Here goes the ID, app_…')
  }
  connected ??= start(options)
  return connected
}

/** The client, and `onOpen` and `onMessage` for as long as the component is shown. */
export function useBellhop({ onOpen, onMessage, ...options }) {
  const bellhop = connect(options)
  const heard = useRef({ onOpen, onMessage })
  useEffect(() => {
    heard.current = { onOpen, onMessage }
  })
  const hearsOpens = onOpen !== undefined
  const hearsMessages = onMessage !== undefined
  useEffect(
    () => (hearsOpens ? bellhop.onOpen((tap) => heard.current.onOpen?.(tap)) : undefined),
    [bellhop, hearsOpens],
  )
  useEffect(
    () => (hearsMessages ? bellhop.onMessage((message) => heard.current.onMessage?.(message)) : undefined),
    [bellhop, hearsMessages],
  )
  return bellhop
}

/** For a task of expo-task-manager: a push that removes another one while the app is in the background. */
export async function onBackgroundPush({ data: payload }) {
  const withdrawal = withdrawalIn(payload?.data ?? {})
  if (withdrawal !== null) await remove(withdrawal)
}

async function remove(withdrawal) {
  for (const shown of await Notifications.getPresentedNotificationsAsync()) {
    if (isRemoved(withdrawal, readShown(shown))) await Notifications.dismissNotificationAsync(shown.request.identifier)
  }
}

function start({
  app,
  home,
  receipts = false,
  clear = false,
  showInForeground = () => true,
  channel = 'Notifications',
}) {
  if (Platform.OS === 'web') throw new Error('Bellhop: for a browser, use the library of `bellhop client web`.')
  const onAndroid = Platform.OS === 'android'
  // oxlint-disable-next-line no-console -- for the app's developer
  const tell = ({ kind, status, message = '' }) => console.warn(`Bellhop: ${kind} ${status}: ${message}`)
  const keeper = createKeeper({ app, home, platform: onAndroid ? '1' : '0', receipts, tell })
  const take = (...events) => keeper.take(() => events)
  const opens = new Set()
  const messages = new Set()
  let waiting = null

  /** At each start, since Apple may change a token; but not before the app has registered the phone. */
  async function renew() {
    await keeper.takeArrivals()
    if (!isRegistered(await take({ kind: 'resume' }))) return
    const { data: token } = await Notifications.getDevicePushTokenAsync()
    await keeper.take((state) => (isRegistered(state) ? [{ kind: 'token', token }, here()] : []))
  }

  async function tapped(response) {
    const tap = readTap(response)
    if (tap === null || !(await keeper.isNewTap(keyOf(response)))) return
    if (opens.size === 0) waiting = tap
    for (const listener of opens) listener(tap)
    const { push: id, action } = tap
    const said = action === null ? { event: 'opened' } : { event: 'action', action }
    if (id !== null) await take({ kind: 'report', id, ...said, ...(clear && { clear }) })
  }

  function arrived(notification) {
    const message = readPush(notification)
    if (message === null) return
    const withdrawal = readWithdrawal(notification)
    if (withdrawal !== null) return void remove(withdrawal)
    for (const listener of messages) listener(message)
    // On iOS the extension reports it.
    if (receipts && onAndroid && message.push !== null)
      void take({ kind: 'report', id: message.push, event: 'received' })
  }

  if (showInForeground !== null) Notifications.setNotificationHandler({ handleNotification: shownBy(showInForeground) })
  Notifications.addPushTokenListener(
    ({ data: token }) => void keeper.take((state) => (isRegistered(state) ? [{ kind: 'token', token }] : [])),
  )
  Notifications.addNotificationReceivedListener(arrived)
  Notifications.addNotificationResponseReceivedListener((response) => void tapped(response))
  const first = Notifications.getLastNotificationResponse()
  if (first) void tapped(first)
  AppState.addEventListener(
    'change',
    (now) => now === 'active' && void keeper.takeArrivals().then(() => take({ kind: 'resume' })),
  )
  // oxlint-disable-next-line no-console -- for the app's developer
  renew().catch(({ message }) => console.warn(`Bellhop: no device token: ${message}`))

  return {
    async register({ ask = false, permissions = null } = {}) {
      // Android 13 asks only if there is a channel.
      const { DEFAULT: importance } = Notifications.AndroidImportance
      if (onAndroid) await Notifications.setNotificationChannelAsync('default', { name: channel, importance })
      const { granted, ios } = await (ask
        ? Notifications.requestPermissionsAsync(permissions ?? undefined)
        : Notifications.getPermissionsAsync())
      // The token of APNs or FCM, not an Expo push token. It needs no permission.
      const { data: token } = await Notifications.getDevicePushTokenAsync()
      const refused = refusalIn(await take({ kind: 'resume' }, { kind: 'token', token }, here()), Date.now())
      if (refused !== null) throw new Error(refused.message ?? `The answer was ${refused.status}.`)
      const { PROVISIONAL } = Notifications.IosAuthorizationStatus
      return { token, granted: granted || ios?.status === PROVISIONAL }
    },
    unregister: () => take({ kind: 'leave' }).then(() => undefined),
    login: (user, proof) => take({ kind: 'login', user, ...(proof !== undefined && { proof }) }).then(() => undefined),
    logout: () => take({ kind: 'logout' }).then(() => undefined),
    setTags: (tag) => take({ kind: 'set', device: { tag } }).then(() => undefined),
    set: (device) => take({ kind: 'set', device }).then(() => undefined),
    onMessage: (listener) => heardBy(messages, listener),
    onOpen(listener) {
      const tap = waiting
      waiting = null
      if (tap !== null) listener(tap)
      return heardBy(opens, listener)
    },
  }
}

function heardBy(listeners, listener) {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const isRegistered = ({ token, leaving }) => token !== null && !leaving

/** iOS gives the same identifier to pushes of one collapse ID. */
function keyOf({ notification: { request, date }, actionIdentifier }) {
  return `${request.identifier} ${date} ${actionIdentifier}`
}

function here() {
  const { locale, timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions()
  return { kind: 'set', device: { locale, timezone } }
}

function shownBy(showInForeground) {
  return async (notification) => {
    const message = readPush(notification)
    const isShown = message === null || showInForeground(message)
    return { shouldShowBanner: isShown, shouldShowList: isShown, shouldPlaySound: isShown, shouldSetBadge: isShown }
  }
}
