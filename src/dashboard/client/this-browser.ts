import type { ApplicationAnswer } from '../../admin/api-types/application-types.ts'
import type { WebPushCredentialRequest } from '../../admin/api-types/credential-types.ts'
import { call } from './call.ts'
import { publicUrl } from './curl.ts'
import { applicationCall, onBehalf } from './paths.ts'
import { contactAt } from './vapid-contact.ts'

/** What pages of one's own register a browser with, and what shows a push there: this listener has both too. */
const CLIENT = '/webpush/client.js'
const WORKER = '/webpush/worker.js'

interface BrowserClient {
  /** `options`: as client.js has them. */
  readonly enrol: (options: Readonly<Record<string, unknown>>) => Promise<{ readonly token: string }>
}

/** Why no push can come to this browser, as a sentence; `null`: nothing is known against it. */
export function whyNoPushHere(): string | null {
  if (!isSecureContext) {
    return `A browser takes pushes by https, or by http from its own machine, and this page is at ${location.origin}. Open it by https, or through ssh -L 8791:127.0.0.1:8791 as http://127.0.0.1:8791.`
  }
  if ('serviceWorker' in navigator && 'PushManager' in window) return null
  return 'This browser takes no pushes here: none does in a private window, and an iPhone or iPad only from its home screen.'
}

/** Registers this browser with the application, which gets a key for browsers where it has none. Gives its endpoint. */
export async function registerThisBrowser({ id, credentials }: ApplicationAnswer): Promise<string> {
  // First of all: some browsers ask for leave only at once after the click.
  if ((await Notification.requestPermission()) !== 'granted') {
    throw new Error('Notifications are blocked here: allow them in what the browser says of this site.')
  }
  const publicKey = publicKeyIn(credentials) ?? (await makeKey(id))
  const { enrol } = (await import(CLIENT)) as BrowserClient
  const { token } = await enrol({
    app: id,
    publicKey,
    worker: trusted(WORKER),
    scope: scopeOf(id),
    home: `${publicUrl.value}/`,
    put: (device: object) => call('PUT', onBehalf(id, '/deviceToken'), { body: device }),
  })
  return token
}

/** Calls `listener` with what is shown of a push of the application here; the returned function stops it. */
export function whenArrived(id: ApplicationAnswer['id'], listener: (shown: Arrived) => void): () => void {
  const hear = ({ data }: MessageEvent<{ bellhop?: { notification?: Arrived }; scope?: string } | null>): void => {
    const shown = data?.scope === location.origin + scopeOf(id) ? data.bellhop?.notification : undefined
    if (shown !== undefined) listener(shown)
  }
  // There is none where the page is not secure.
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer }
  serviceWorker?.addEventListener('message', hear)
  return () => serviceWorker?.removeEventListener('message', hear)
}

/** The notification of a declarative message. */
interface Arrived {
  readonly title: string
  readonly body?: string
}

/** No page is there: a worker for each application, and none that the dashboard itself runs under. */
function scopeOf(id: ApplicationAnswer['id']): string {
  return `/webpush/${encodeURIComponent(id)}`
}

function publicKeyIn(credentials: ApplicationAnswer['credentials']): string | null {
  return credentials.find((one) => one.provider === 'webpush')?.publicKey ?? null
}

async function makeKey(id: ApplicationAnswer['id']): Promise<string> {
  const body: WebPushCredentialRequest = { subject: contactAt(publicUrl.value) }
  const { credentials } = await call<ApplicationAnswer>('PUT', applicationCall(id, 'credentials', 'webpush'), { body })
  return publicKeyIn(credentials) ?? ''
}

interface Policy {
  createScriptURL(url: string): string
}

interface TrustedTypes {
  createPolicy(name: string, rules: Policy): Policy
}

let policy: Policy | undefined

/** What may become a script, as the policy of the page asks for it. */
function trusted(url: string): string {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes }
  policy ??= trustedTypes?.createPolicy('worker', { createScriptURL: (wanted) => (wanted === WORKER ? wanted : '') })
  return policy?.createScriptURL(url) ?? url
}
