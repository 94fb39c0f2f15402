import type { WirePlatform } from './call.ts'

/** How a device leaves: what the gateway says of its token. */
interface Fate {
  readonly state: 'gone' | 'quarantined'
  readonly reason: string
}

/** What comes of a push to this token; `null`: it is taken. */
export function fateOf(platform: WirePlatform, token: string): Fate | null {
  // The simulator goes by the end of an endpoint's path. Push services give no reason by which all go.
  if (platform === '2')
    return token.includes('/unregistered:') ? { state: 'gone', reason: 'HTTP 410 Unregistered' } : null
  if (platform === '1') {
    if (token.startsWith('unregistered:')) return { state: 'gone', reason: 'UNREGISTERED' }
    if (token.startsWith('invalid:')) return { state: 'quarantined', reason: 'INVALID_ARGUMENT' }
    return null
  }
  if (token.startsWith('bad4100')) return { state: 'gone', reason: 'Unregistered' }
  if (token.startsWith('bad4000') || !isApple(token)) return { state: 'quarantined', reason: 'BadDeviceToken' }
  return null
}

/** What a record says of a token that Apple could never have issued. */
export function warningOf(platform: WirePlatform, token: string): string | null {
  if (platform !== '0' || isApple(token)) return null
  return 'not an APNs device token: it is not 64 to 200 hex digits'
}

function isApple(token: string): boolean {
  return /^[0-9a-f]{64,200}$/i.test(token)
}

/** Whether a browser may be sent to at this address. */
export function isEndpoint(token: string): boolean {
  return token.startsWith('https://simulator.invalid/')
}

const MAX_BADGE = 2_147_483_647

/** The count of a device that was sent a push with this badge: `"5"`, `"+1"`, `"-1"`, or `""` for as it is. */
export function badgeAfter(badge: string, stored: number): number {
  if (badge === '') return stored
  return /^[+-]/.test(badge) ? Math.min(Math.max(stored + Number(badge), 0), MAX_BADGE) : Number(badge)
}

/** How the gateway's simulator names a token: to Apple the letter case of hex digits is none. */
export function atGateway(platform: WirePlatform, token: string): string {
  return platform === '0' ? token.toLowerCase() : token
}
