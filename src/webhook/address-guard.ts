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

/** Whether the URL needs the operator to allow private addresses. */
export function isForPrivate(url: string): boolean {
  const address = addressIn(new URL(url))
  return url.startsWith('http:') || (address !== null && !isPublic(address))
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
