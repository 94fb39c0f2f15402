import type { Platform } from '../../platform.ts'

/** `GET /api/backups`; also what `POST /api/backups` answers, which makes one in the background. */
export interface BackupsAnswer {
  /** `null`: the service makes none (`--backup`). */
  readonly schedule: {
    readonly everyHours: number
    readonly lastSuccessAt: string | null
    /** Why the last try failed. */
    readonly lastError: string | null
    readonly isMaking: boolean
    /** Whether the newest can be restored; `null`: that is not looked at. */
    readonly verified: { readonly lastSuccessAt: string | null; readonly lastError: string | null } | null
  } | null
  /** Those that there are, the newest first. */
  readonly backups: readonly { readonly name: string; readonly bytes: number; readonly at: string }[]
  /** Why they cannot be listed. */
  readonly problem: string | null
}

/**
 * `GET /api/service-log?level=warn&application=app_…`: server-sent events, `event: line` with one of these each: the last
 * 500 that were written, then each as it is. `level`: the least, default `info`; below `--log-level` there is nothing.
 */
export interface ServiceLogLine {
  /** Counts from the start on; the event's id too. */
  readonly number: number
  readonly at: string
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly event: string
  /** `application` is an id, and `name` that application's, where a line is about one. */
  readonly fields: Readonly<Record<string, string | number | boolean | null>>
}

/** `GET /simulator/received?after=N`: what arrived at the simulator behind that number, the newest last. */
export interface ReceivedAnswer {
  readonly last: number
  readonly received: readonly {
    readonly number: number
    readonly at: string
    /** An application's id. */
    readonly application: string
    readonly platform: `${Platform}`
    /** Its first 12 characters; of a browser's endpoint `https://host/…` and its last 12. */
    readonly token: string
    /** The push's id; `null`: its payload does not have that. */
    readonly push: string | null
    readonly title: string | null
    /** iOS alone has one. */
    readonly subtitle: string | null
    readonly text: string | null
    readonly badge: number | null
    /** By which an app on iOS knows the buttons below it. */
    readonly category: string | null
    /** Whether the address of a picture comes with it. */
    readonly hasImage: boolean
    readonly status: number
    readonly reason: string | null
  }[]
}
