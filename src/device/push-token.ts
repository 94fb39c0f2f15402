import { PLATFORM, platformsWhere } from '../platform.ts'
import type { Platform } from '../platform.ts'

/**
 * A Firebase Installation ID: 22 characters of base64url that begin with the bits 0111 (firebase-js-sdk, installations,
 * `VALID_FID_PATTERN`). A registration token is far longer and has a colon.
 */
export function isInstallationId(token: string): boolean {
  return INSTALLATION_ID.test(token)
}

const INSTALLATION_ID = /^[c-f][\w-]{21}$/

/** `null`: the token has none. */
export function installationOf(token: string): string | null {
  const id = token.slice(0, INSTALLATION_ID_LENGTH)
  return token[INSTALLATION_ID_LENGTH] === ':' && isInstallationId(id) ? id : null
}

const INSTALLATION_ID_LENGTH = 22

/** 64 hex digits today, but "don't hard-code their size" (Apple). */
export function isApnsToken(token: string): boolean {
  return APNS_TOKEN.test(token)
}

const MIN_HEX = 64
const MAX_HEX = 200
const APNS_TOKEN = /^[0-9a-f]{64,200}$/i

/** One spelling for one device: some apps write Apple's hex digits in upper case. */
export function canonicalToken(platform: Platform, token: string): string {
  return HEX_PLATFORMS.has(platform) && isApnsToken(token) ? token.toLowerCase() : token
}

const HEX_PLATFORMS = platformsWhere(({ tokens }) => tokens === 'hex')

/** Why nothing can be sent to a stored token; `null`: no known reason. */
export function tokenWarning(platform: Platform, token: string): string | null {
  return PLATFORM[platform].tokens !== 'hex' || isApnsToken(token)
    ? null
    : `not an APNs device token: ${looksOf(token)}`
}

/** `it is …`, and the remedy if known. */
function looksOf(token: string): string {
  if (/^Expo(nent)?PushToken\[/.test(token)) {
    return "it looks like an Expo push token, which only Expo can send to; getDevicePushTokenAsync gives Apple's"
  }
  if (isInstallationId(token)) return `it looks like a Firebase Installation ID, ${THROUGH_FCM}`
  if (/^[\w-]{8,}:[\w-]{60,}$/.test(token)) return `it looks like an FCM registration token, ${THROUGH_FCM}`
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(token)) return 'it looks like a UUID'
  if (/^[0-9a-f]*$/i.test(token)) {
    return token.length < MIN_HEX
      ? `it is too short: ${token.length} of at least ${MIN_HEX} hex digits`
      : `it is too long: ${token.length} of at most ${MAX_HEX} hex digits`
  }
  if (/^[\w+/-]{43}=?$/.test(token)) return 'it looks like base64; it must be hex'
  return `it is not ${MIN_HEX} to ${MAX_HEX} hex digits`
}

const THROUGH_FCM = 'which is sent to through FCM, as platform 1'
