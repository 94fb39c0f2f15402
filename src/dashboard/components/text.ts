/** `1,234`, in the browser's language. */
export function count(number: number): string {
  return number.toLocaleString()
}

/** `1 device`, `2 devices`. */
export function plural(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`
}

/** Of whoever looks: `Europe/Berlin`. */
export const ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone

/** In the reader's zone, with its name: `Nov 26, 2026, 10:49 AM GMT+1`; `–`: there is none. */
export function time(iso: string | null): string {
  return shownTime(iso, { timeZoneName: 'short' })
}

/** The same without the zone: a table names it once. */
export function clock(iso: string | null): string {
  return shownTime(iso, {})
}

function shownTime(iso: string | null, more: Intl.DateTimeFormatOptions): string {
  if (iso === null) return '–'
  const shown = { year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' } as const
  return new Date(iso).toLocaleString(undefined, { ...shown, ...more })
}

/** `just now`, `3 minutes ago`, `2 hours ago`: how long before `now`, in milliseconds, a time was. */
export function ago(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000)
  if (minutes < 1) return 'just now'
  return minutes < 60 ? `${plural(minutes, 'minute')} ago` : `${plural(Math.floor(minutes / 60), 'hour')} ago`
}

/** `12 %`; `–` of nothing. */
export function share(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((1000 * part) / whole) / 10} %`
}

/** The first characters of a token; of a browser's endpoint its host and its end, since all begin alike. */
export function tokenPart(token: string, length: number): string {
  const [, host] = /^https:\/\/([^/]+)\//.exec(token) ?? []
  return host === undefined ? `${token.slice(0, length)}…` : `${host}/…${token.slice(-length)}`
}

/** The next of 1, 2, 4, 10, 20, 40, 100 …: halves of all but 1 are whole. */
export function niceTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most))
  return ([1, 2, 4, 10].find((step) => step * power >= most) ?? 10) * power
}
