/** `GET /api/session`; also what signs in and out answers. */
export interface SessionAnswer {
  /** `null`: nobody is signed in, or a token is. */
  readonly administrator: { readonly name: string } | null
  readonly token: { readonly name: string; readonly purpose: string; readonly expiresAt: string | null } | null
  /** Of a sign-in that is not done: with it `POST /api/session/code` takes a code. `null`: none is asked for. */
  readonly step: string | null
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

/** `GET /api/second-factor` */
export interface SecondFactorAnswer {
  readonly isOn: boolean
  readonly recoveryCodesLeft: number
}

/** `POST /api/second-factor`: the secret is in this answer and nowhere else. */
export interface SecondFactorBegunAnswer {
  /** To be typed into an authenticator app. */
  readonly secret: string
  /** The same as an address, for an app on this machine. */
  readonly uri: string
  /** The address as a QR code: the `d` of an SVG path, in a square that is `size` wide. */
  readonly qr: { readonly path: string; readonly size: number }
}

/** `POST /api/second-factor/confirm {code}` and `…/recovery-codes {code}`: the codes are in this answer and nowhere else. */
export interface RecoveryCodesAnswer {
  /** Each is good once, in place of a code of the app. */
  readonly recoveryCodes: readonly string[]
}
