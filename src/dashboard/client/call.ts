import { signal } from '@preact/signals'
import type { Refusal } from '../../admin/api-types/refusal-types.ts'
import type { SessionAnswer } from '../../admin/api-types/session-types.ts'

/** Who looks at this page; `null`: that is not known yet. */
export const session = signal<SessionAnswer | null>(null)

/** Whether the server does not answer. */
export const isAway = signal(false)

/** Counts how often the server came back: what was read before may be old. */
export const comebacks = signal(0)

/** How soon a server that went away is asked again. */
const AGAIN_MS = 1500

/** A call that was answered, and not with a success. */
class CallRefused extends Error {
  readonly code: string

  constructor({ code, message }: Refusal) {
    super(message)
    this.code = code
  }
}

interface Options {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/**
 * Calls the admin API; the answer, read as JSON. Throws `CallRefused`, and what `fetch` throws where the server is away.
 * An answer that nobody is signed in shows the sign-in in place of the page, which is there again afterwards.
 */
export async function call<T>(method: string, path: string, options: Options = {}): Promise<T> {
  const text = await (await answered(method, path, options)).text()
  return (text === '' ? null : JSON.parse(text)) as T
}

/** A page of a list, and the cursor of the next one; `null`: there is none. */
export interface ListPage<Row> {
  readonly rows: readonly Row[]
  readonly next: string | null
}

/** Reads a list of the public API, which says by a header whether more follows. Throws like `call`. */
export async function callList<Row>(path: string, options: Options): Promise<ListPage<Row>> {
  const response = await answered('GET', path, options)
  const [, next = null] = /[?&]after=(\d+)/.exec(response.headers.get('link') ?? '') ?? []
  return { rows: (await response.json()) as Row[], next }
}

/** A success; else throws. */
async function answered(method: string, path: string, options: Options): Promise<Response> {
  const { body, headers = {}, signal: aborted } = options
  const response = await reach(path, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(aborted !== undefined && { signal: aborted }),
  })
  if (response.ok) return response
  const text = await response.text()
  if (response.status === 401 && session.peek()?.administrator) void readSession()
  throw new CallRefused(refusalIn(text, response.status))
}

/** Asks who is signed in. */
export async function readSession(): Promise<void> {
  session.value = await call<SessionAnswer>('GET', '/api/session')
}

/** What the server answered in place of a success; `null`: it was not the server that failed. */
export function refusalOf(error: unknown): Refusal | null {
  return error instanceof CallRefused ? error : null
}

/** What to tell of an error: one sentence. */
export function sentenceOf(error: unknown): string {
  if (error instanceof CallRefused) return error.message
  if (isAway.peek()) return 'The server does not answer. Nothing was changed, as far as this page knows.'
  return error instanceof Error ? error.message : String(error)
}

/** Watches for the server until it is back. */
export function noteAway(): void {
  if (isAway.peek()) return
  isAway.value = true
  const ask = (): void => {
    fetch('/healthz').then(
      ({ ok }) => (ok ? back() : setTimeout(ask, AGAIN_MS)),
      () => setTimeout(ask, AGAIN_MS),
    )
  }
  setTimeout(ask, AGAIN_MS)
}

function back(): void {
  isAway.value = false
  comebacks.value++
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init)
  } catch (error) {
    if (init.signal?.aborted !== true) noteAway()
    throw error
  }
}

function refusalIn(text: string, status: number): Refusal {
  try {
    const { code, message } = JSON.parse(text) as Partial<Refusal>
    if (typeof code === 'string' && typeof message === 'string') return { code, message }
  } catch {
    // A proxy in between answers with a page of its own.
  }
  return { code: 'Unknown', message: `The server answered with ${status}.` }
}
