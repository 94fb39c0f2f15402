import type { ApplicationAnswer } from '../../admin/api-types/application-types.ts'
import type { WebPushCredentialRequest } from '../../admin/api-types/credential-types.ts'
import { call } from './call.ts'
import { publicUrl } from './curl.ts'
import { applicationCall, onBehalf } from './paths.ts'
import { contactAt } from './vapid-contact.ts'

/** Both listeners serve these scripts. */
const CLIENT = '/webpush/client.js'
const WORKER = '/webpush/worker.js'

interface BrowserClient {
  /** As in client.js. */
  readonly connect: (options: Readonly<Record<string, unknown>>) => {
    readonly enrol: (options: Readonly<Record<string, unknown>>) => Promise<{ readonly token: string }>
  }
}

interface ClientRequest {
  readonly path: string
  readonly body: object
}

/** `null`: no known reason. */
export function whyNoPushHere(): string | null {
  if (!isSecureContext) {
    return `Browsers allow push only over https, or http on the same machine. This page is at ${location.origin}. Open it over https, or through ssh -L 8791:127.0.0.1:8791 as http://127.0.0.1:8791.`
  }
  if ('serviceWorker' in navigator && 'PushManager' in window) return null
  return 'Push is not available here. Private windows never have it, and an iPhone or iPad only in a page on the home screen.'
}

/** Creates a VAPID key if there is none. Returns the endpoint. */
export async function registerThisBrowser({ id, credentials }: ApplicationAnswer): Promise<string> {
  // First, since some browsers prompt only directly after a click.
  if ((await Notification.requestPermission()) !== 'granted') {
    throw new Error('Notifications are blocked. Allow them for this site in your browser’s settings.')
  }
  const publicKey = publicKeyIn(credentials) ?? (await makeKey(id))
  const { connect } = (await import(CLIENT)) as BrowserClient
  const here = connect({ app: id, worker: trusted(WORKER), scope: scopeOf(id), home: `${publicUrl.value}/` })
  const { token } = await here.enrol({
    publicKey,
    again: true,
    call: ({ path, body }: ClientRequest) =>
      call('PUT', onBehalf(id, `/${path}`), { body }).then(
        (answer) => ({ status: 200, body: answer }),
        // A refusal has a code and is not retried.
        (error: Error) =>
          'code' in error
            ? { status: 400, body: { code: error.code, message: error.message } }
            : { status: 503, body: { message: error.message } },
      ),
  })
  return token
}

/** Calls `listener` with each push that arrives here for the application. Returns a function that stops it. */
export function whenArrived(id: ApplicationAnswer['id'], listener: (shown: Arrived) => void): () => void {
  const hear = ({ data }: MessageEvent<{ bellhop?: { notification?: Arrived }; scope?: string } | null>): void => {
    const shown = data?.scope === location.origin + scopeOf(id) ? data.bellhop?.notification : undefined
    if (shown !== undefined) listener(shown)
  }
  // Undefined if the page is not secure.
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer }
  serviceWorker?.addEventListener('message', hear)
  return () => serviceWorker?.removeEventListener('message', hear)
}

/** The notification in a declarative message. */
interface Arrived {
  readonly title: string
  readonly body?: string
}

/** No page is in this scope: an application's worker must not serve the dashboard. */
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

/** The page's Content-Security-Policy requires Trusted Types. */
function trusted(url: string): string {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes }
  policy ??= trustedTypes?.createPolicy('worker', { createScriptURL: (wanted) => (wanted === WORKER ? wanted : '') })
  return policy?.createScriptURL(url) ?? url
}
