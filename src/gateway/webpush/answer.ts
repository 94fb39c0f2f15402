import { parseJsonObject } from '../../text/json-object.ts'
import type { JsonObject } from '../../text/json-object.ts'

/* An answer of a push service, and what can be read in it. */

/** An answer of a push service. */
export interface WebPushAnswer {
  readonly status: number
  readonly body: string
  /** The value of a header by its lower-case name; `null` if it is absent. */
  header(name: string): string | null
}

/** What an answer says, its body read once. */
export interface Said extends Omit<WebPushAnswer, 'header'> {
  readonly header: (name: string) => string | null
  /** Of a body in JSON; else `null`. */
  readonly json: JsonObject | null
  readonly isPage: boolean
  /** Apple's `reason`. */
  readonly reason: string | null
  /** Mozilla's `errno`. */
  readonly errno: number | null
  /** ntfy's `code`. */
  readonly code: number | null
}

export function readAnswer(answer: WebPushAnswer): Said {
  const json = parseJsonObject(answer.body)
  const { reason, errno, code } = json ?? {}
  return {
    status: answer.status,
    body: answer.body,
    header: (name) => answer.header(name),
    json,
    isPage: isWebPage(answer),
    reason: typeof reason === 'string' ? reason : null,
    errno: typeof errno === 'number' ? errno : null,
    // Of Mozilla it is the status once more.
    code: typeof code === 'number' && errno === undefined ? code : null,
  }
}

/** Whether it is a web page: whatever stands before a push service, not that itself. */
export function isWebPage(answer: Pick<WebPushAnswer, 'header'>): boolean {
  return answer.header('content-type')?.startsWith('text/html') === true
}

/** What Microsoft's push service did with what it answers 200 or 201; `null`: another push service, or nothing to tell. */
export function wnsStatus(answer: Pick<WebPushAnswer, 'header'>): string | null {
  return answer.header('x-wns-notificationstatus') ?? answer.header('x-wns-status')
}

/** What is wrong with a request, as Microsoft's push service says it; `null`: it does not, or another push service. */
export function wnsDescription({ header }: Pick<Said, 'header'>): string | null {
  return /^[\x20-\x7e]{1,100}/.exec(header('x-wns-error-description') ?? '')?.[0].replace(/\.$/, '') ?? null
}

/** Whether it is Microsoft's push service itself that answers. */
export function hasWnsHeader({ header }: Pick<Said, 'header'>): boolean {
  return WNS_HEADERS.some((name) => header(name) !== null)
}

const WNS_HEADERS = ['x-wns-error-description', 'x-wns-msg-id', 'x-wns-notificationstatus', 'x-wns-status'] as const
