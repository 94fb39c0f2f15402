/** `GET /api/administrators` */
export interface AdministratorsAnswer {
  readonly administrators: readonly {
    readonly name: string
    readonly createdAt: string
    /** `null`: no session of theirs is left. */
    readonly seenAt: string | null
    /** Whether they sign in with a code of an authenticator app too. */
    readonly hasSecondFactor: boolean
  }[]
}

/** `POST /api/administrators`: `link` goes behind the `#` of `/setup`. */
export interface NewLinkAnswer {
  readonly link: string
  readonly expiresAt: string
}

/** What takes an administrator away, or revokes a token. */
export interface DoneAnswer {
  readonly message: string
}

/** `GET /api/tokens` */
export interface TokensAnswer {
  readonly tokens: readonly {
    readonly name: string
    /** `read`, `send`, `operate` or `administer`. */
    readonly purpose: string
    readonly createdAt: string
    readonly usedAt: string | null
    /** When it expires; `null`: never. */
    readonly expiresAt: string | null
  }[]
}

/** `POST /api/tokens {name, purpose, expiresInDays}`: the token is in this answer and nowhere else. */
export interface NewTokenAnswer {
  readonly name: string
  readonly token: string
  readonly purpose: string
  readonly expiresAt: string | null
}

/** `GET /api/log?who=…&action=…&application=ID&since=…&until=…&before=N&limit=N`, the newest first. */
export interface AdminLogAnswer {
  readonly entries: readonly {
    readonly number: number
    readonly at: string
    /** `administrator ann`, `token ci`, `command root`, `application Shop`, `nobody`. */
    readonly who: string
    /** Network address, or terminal; `''`: not known. */
    readonly origin: string
    /** Command line, without secrets, texts and users; `''`: none. */
    readonly command: string
    readonly action: string
    /** What it was done to; `''`: nothing in particular. Of an application its id. */
    readonly subject: string
    readonly detail: Readonly<Record<string, unknown>>
    /** Settings by name: what they were, and are; `null`: none. */
    readonly changes: Readonly<Record<string, { readonly before: unknown; readonly after: unknown }>>
    /** `started`: something was changed, and the end is not known. */
    readonly result: 'started' | 'ok' | 'refused' | 'failed'
    /** Why it is not `ok`: the code of a failure, or `exit 1`; else `''`. */
    readonly code: string
  }[]
  /** `before` of the next page; `null`: that was all. */
  readonly next: number | null
}
