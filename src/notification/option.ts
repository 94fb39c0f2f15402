import type { Field } from '../http/fields.ts'

/**
 * One field of a push's content, with everything Bellhop knows about it. The API, both size checks, the gateways, the
 * CLI and the dashboard follow from `options.ts`; `manual/push.md` has a row.
 */
export interface PushOption<T> {
  /** Reads `null` if the value says nothing, such as an empty list. */
  readonly field: Field<T | null>
  /** Other services' names, separated by spaces, for "Did you mean …?". */
  readonly alsoCalled?: string
  /** A person sees or hears it, so it can't be combined with `silent`. */
  readonly isShown?: true
  /** A push with nothing else is still worth sending. */
  readonly isEnough?: true
  /** Refused without a title or message. */
  readonly needsText?: true
  /** Sent under its own name beside the keys of `payload`, which then must not have that key. */
  readonly isBesidePayload?: true
  /** Named if a notification exceeds 4096 bytes. */
  readonly mayBeLong?: true
  /** `bellhop push --…`; without it, `--fields` is the way. */
  readonly flag?: OptionFlag
  /** The field on the dashboard's Send page. */
  readonly input?: OptionInput
  /**
   * The place of the value in the request of each gateway, such as `aps.alert.title`, or what writes it there. Later
   * options of `options.ts` override earlier ones.
   */
  readonly apns?: Rendering<T, ApnsDraft>
  readonly fcm?: Rendering<T, FcmDraft>
  readonly webPush?: Rendering<T, WebPushDraft>
}

type Rendering<T, Draft> = string | ((value: T, draft: Draft) => void)

export interface OptionFlag {
  /** Default: the option's name with hyphens. */
  readonly name?: string
  readonly placeholder: string
  readonly doc: string
  /** Default: text as it is. */
  readonly takes?: 'json' | 'json-or-file'
  /** Each is an item of a list. */
  readonly list?: true
  /** For an error about invalid JSON. */
  readonly example?: string
}

export interface OptionInput {
  readonly kind: 'line' | 'lines' | 'number' | 'choice' | 'switch' | 'json'
  readonly label: string
  readonly hint?: string
  /** Of a `choice`. */
  readonly choices?: readonly string[]
  /** Default: under "More options". `languages` has a form of its own. */
  readonly among?: 'text' | 'folded-text' | 'languages'
  /** What an untouched field sends, even if empty: a broadcast requires it. */
  readonly initial?: string
}

type Fields = Record<string, unknown>

/*
 * Requests in the making, by place; `''` is the top. Spread callers' objects into them instead of assigning field by
 * field: a key named __proto__ has to stay a key.
 */

/** Apple, "Generating a remote notification". An alert with nothing but a body is sent as a string. */
export type ApnsDraft = Record<'aps.alert' | 'aps' | '', Fields>

/** Google, "REST Resource: projects.messages". */
export type FcmDraft = Record<'notification' | 'data' | 'android' | 'android.notification' | '', Fields>

/** The `notification` of a declarative push message (Push API). */
export type WebPushDraft = Record<'data' | '', Fields>
