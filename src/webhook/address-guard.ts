import { addressIn, isPublic } from '../network/special-networks.ts'

/** Why events may not go to this URL, whose host resolves to `addresses`; `null`: they may. */
export function refusal(
  { protocol }: URL,
  addresses: readonly string[],
  allowPrivate: boolean,
): 'no address' | 'private address' | 'http to a public address' | null {
  if (addresses.length === 0) return 'no address'
  if (!allowPrivate && !addresses.every(isPublic)) return 'private address'
  return protocol === 'http:' && addresses.some(isPublic) ? 'http to a public address' : null
}

/** When the service sends to the URL, if not always. `allowPrivate`: by its settings; `null` if they are unknown. */
export function sendingNote(url: string, allowPrivate: boolean | null): string | null {
  const { protocol } = new URL(url)
  const address = addressIn(new URL(url))
  if (protocol === 'http:' && address === null) {
    const setting = allowPrivate === true ? '' : ', and there only with --webhook-private'
    return `The server sends by http only to a private address${setting}.`
  }
  const isNoted = allowPrivate !== true && address !== null && !isPublic(address)
  return isNoted ? 'The server sends to a private address only with --webhook-private.' : null
}

/** `expected` completes `"…" is not `. */
export function readWebhookUrl(text: string): URL | { readonly expected: string } {
  const url = URL.parse(text)
  const plain = url !== null && url.username === '' && url.password === '' && url.hash === ''
  if (!plain || !['https:', 'http:'].includes(url.protocol)) {
    return { expected: 'an https address without user and fragment, such as https://example.com/hooks' }
  }
  const address = addressIn(url)
  if (url.protocol === 'http:' && address !== null && isPublic(address)) {
    return { expected: 'https: http is for private addresses only' }
  }
  return url
}
