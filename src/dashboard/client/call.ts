import { signal } from '@preact/signals'
import type { Refusal } from '../../admin/api-types/refusal-types.ts'
import type { SessionAnswer } from '../../admin/api-types/session-types.ts'

/** `null`: not known yet. */
export const session = signal<SessionAnswer | null>(null)

export const isAway = signal(false)

/** Counts how often the server came back. Older answers may be out of date. */
export const comebacks = signal(0)

/** Pause between checks whether the server is back. */
const AGAIN_MS = 1500

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
 * Calls the admin API and parses the JSON answer. Throws `CallRefused`, or the error of `fetch` if the server is away.
 * If the session has expired, the sign-in page appears.
 */
export async function call<T>(method: string, path: string, options: Options = {}): Promise<T> {
  const text = await (await answered(method, path, options)).text()
  return (text === '' ? null : JSON.parse(text)) as T
}

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

export async function readSession(): Promise<void> {
  session.value = await call<SessionAnswer>('GET', '/api/session')
}

/** `null`: not a refusal by the server. */
export function refusalOf(error: unknown): Refusal | null {
  return error instanceof CallRefused ? error : null
}

export function sentenceOf(error: unknown): string {
  if (error instanceof CallRefused) return error.message
  if (isAway.peek()) return 'The server does not answer. As far as this page knows, nothing was changed.'
  return error instanceof Error ? error.message : String(error)
}

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
    // A proxy answered with its own page.
  }
  return { code: 'Unknown', message: `The server answered with ${status}.` }
}
