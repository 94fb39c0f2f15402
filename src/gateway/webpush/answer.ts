import { parseJsonObject } from '../../text/json-object.ts'
import type { JsonObject } from '../../text/json-object.ts'

export interface WebPushAnswer {
  readonly status: number
  readonly body: string
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

export function isWebPage(answer: Pick<WebPushAnswer, 'header'>): boolean {
  return answer.header('content-type')?.startsWith('text/html') === true
}

/** For 200 and 201. */
export function wnsStatus(answer: Pick<WebPushAnswer, 'header'>): string | null {
  return answer.header('x-wns-notificationstatus') ?? answer.header('x-wns-status')
}

export function wnsDescription({ header }: Pick<Said, 'header'>): string | null {
  return /^[\x20-\x7e]{1,100}/.exec(header('x-wns-error-description') ?? '')?.[0].replace(/\.$/, '') ?? null
}

export function hasWnsHeader({ header }: Pick<Said, 'header'>): boolean {
  return WNS_HEADERS.some((name) => header(name) !== null)
}

const WNS_HEADERS = ['x-wns-error-description', 'x-wns-msg-id', 'x-wns-notificationstatus', 'x-wns-status'] as const
