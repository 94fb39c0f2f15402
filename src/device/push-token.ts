/* What the text of a device token tells of it. */

/**
 * Whether an FCM target is a Firebase Installation ID: 22 characters of base64url, of which the first four bits are
 * 0111 (firebase-js-sdk, installations, `VALID_FID_PATTERN`). A registration token is far longer, and has a colon.
 */
export function isInstallationId(token: string): boolean {
  return INSTALLATION_ID.test(token)
}

const INSTALLATION_ID = /^[c-f][\w-]{21}$/
