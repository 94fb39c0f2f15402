// The few functions of expo-notifications that the library calls.
import { phone } from 'phone'

export const AndroidImportance = { DEFAULT: 5 }
export const IosAuthorizationStatus = { PROVISIONAL: 3 }

export const addPushTokenListener = (listener) => phone.listen('token', listener)
export const addNotificationReceivedListener = (listener) => phone.listen('received', listener)
export const addNotificationResponseReceivedListener = (listener) => phone.listen('response', listener)
export const getLastNotificationResponse = () => phone.first
export const getPermissionsAsync = async () => ({ granted: phone.asked > 0 && phone.granted })
export const getDevicePushTokenAsync = async () => ({ type: phone.os, data: phone.token })

export const getPresentedNotificationsAsync = async () => phone.shown

export async function dismissNotificationAsync(identifier) {
  phone.shown = phone.shown.filter(({ request }) => request.identifier !== identifier)
}

export async function requestPermissionsAsync() {
  phone.asked += 1
  return { granted: phone.granted }
}

export async function setNotificationChannelAsync(id, channel) {
  phone.channels.push({ id, ...channel })
}

export function setNotificationHandler(handler) {
  phone.handler = handler
}
