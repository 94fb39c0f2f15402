import { parseJsonObject } from '../../text/json-object.ts'
import type { JsonObject } from '../../text/json-object.ts'

export interface WebPushAnswer {
  readonly status: number
  readonly body: string
  /** The value of a header by its lower-case name; `null` if it is absent. */
  header(name: string): string | null
}

export interface Said extends Omit<WebPushAnswer, 'header'> {
  readonly header: (name: string) => string | null
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
    // Mozilla's `code` repeats the status.
    code: typeof code === 'number' && errno === undefined ? code : null,
  }
}

/** A web page comes from something in front of the push service. */
export function isWebPage(answer: Pick<WebPushAnswer, 'header'>): boolean {
  return answer.header('content-type')?.startsWith('text/html') === true
}

/** What Microsoft's push service did with a push that it answered 200 or 201; `null`: not said. */
export function wnsStatus(answer: Pick<WebPushAnswer, 'header'>): string | null {
  return answer.header('x-wns-notificationstatus') ?? answer.header('x-wns-status')
}

/** Microsoft's description of what is wrong; `null`: there is none. */
export function wnsDescription({ header }: Pick<Said, 'header'>): string | null {
  return /^[\x20-\x7e]{1,100}/.exec(header('x-wns-error-description') ?? '')?.[0].replace(/\.$/, '') ?? null
}

/** Whether Microsoft's push service itself answers. */
export function hasWnsHeader({ header }: Pick<Said, 'header'>): boolean {
  return WNS_HEADERS.some((name) => header(name) !== null)
}

const WNS_HEADERS = ['x-wns-error-description', 'x-wns-msg-id', 'x-wns-notificationstatus', 'x-wns-status'] as const
