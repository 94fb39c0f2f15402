export function count(number: number): string {
  return number.toLocaleString()
}

export function plural(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`
}

/** The browser's zone, such as `Europe/Berlin`. */
export const ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone

/** `Nov 26, 2026, 10:49 AM GMT+1`, in the browser's zone; `–` for `null`. */
export function time(iso: string | null, second?: '2-digit'): string {
  return shownTime(iso, { timeZoneName: 'short', ...(second && { second }) })
}

/** Without the zone, for tables that name it once. */
export function clock(iso: string | null): string {
  return shownTime(iso, {})
}

function shownTime(iso: string | null, more: Intl.DateTimeFormatOptions): string {
  if (iso === null) return '–'
  const shown = { year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' } as const
  return new Date(iso).toLocaleString(undefined, { ...shown, ...more })
}

/** `3 minutes ago`. Both in milliseconds. */
export function ago(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000)
  if (minutes < 1) return 'just now'
  return minutes < 60 ? `${plural(minutes, 'minute')} ago` : `${plural(Math.floor(minutes / 60), 'hour')} ago`
}

/** `12 %`; `–` if `whole` is 0. */
export function share(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((1000 * part) / whole) / 10} %`
}

/** The first characters of a token, or the host and the end of a browser's endpoint: all begin alike. */
export function tokenPart(token: string, length: number): string {
  const [, host] = /^https:\/\/([^/]+)\//.exec(token) ?? []
  return host === undefined ? `${token.slice(0, length)}…` : `${host}/…${token.slice(-length)}`
}

/** The next of 1, 2, 4, 10, 20, 40, 100 …: except for 1, the half is whole too. */
export function niceTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most))
  return ([1, 2, 4, 10].find((step) => step * power >= most) ?? 10) * power
}
