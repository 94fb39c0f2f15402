/** `1,234`, in the browser's language. */
export function count(number: number): string {
  return number.toLocaleString()
}

/** `1 device`, `2 devices`. */
export function plural(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`
}

/** In the zone of whoever looks; `–`: there is none. */
export function time(iso: string | null): string {
  if (iso === null) return '–'
  return new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
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
