/** `GET /api/session`; also what signs in and out answers. */
export interface SessionAnswer {
  /** `null`: nobody is signed in, or a token is. */
  readonly administrator: { readonly name: string } | null
  readonly token: { readonly name: string } | null
  /** Whether there is any administrator. */
  readonly isSetUp: boolean
  /** Its version, and where apps and backends reach the public API. `null`: nobody is signed in. */
  readonly service: { readonly version: string; readonly url: string } | null
}

/** `POST /api/link/look {link}` */
export interface LinkAnswer {
  readonly kind: 'setup' | 'sign-in'
  /** Whose; `null` of `setup`. */
  readonly name: string | null
  readonly expiresAt: string
}
