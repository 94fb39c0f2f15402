/** The tenant: one mobile app. */
export interface Application {
  /** The row's number; what other tables refer to. Never shown. */
  readonly number: number
  /** What clients send as X-SERVICE-APPID. Public: it is inside the app. */
  readonly id: string
  readonly name: string
  /** SHA-256 of the secret. A slow hash is for what people choose; a secret is 256 random bits. */
  readonly secretHash: Uint8Array
  /** The one before it, which counts too until `until`, ms since the Unix epoch; `null`: none does. */
  readonly previousSecret: { readonly hash: Uint8Array; readonly until: number } | null
  readonly limits: Limits
  /** Pushes go to the built-in simulator instead of Apple and Google. */
  readonly simulated: boolean
}

/** Whose secret: the number is the row's, the id is what the seal is bound to. */
export type SecretOwner = Pick<Application, 'number' | 'id'>

/** Rates are calls a second; 0 = unlimited (test/api/http/admission.test.ts). */
export interface Limits {
  /** For a caller without a valid secret, per network address. Default 10. */
  readonly rate: number
  /** Default 100. */
  readonly burst: number
  /** For the application's own backend, known by its secret. Default 100. */
  readonly backendRate: number
  /** Default 1000. */
  readonly backendBurst: number
  /** Calls a period, over all endpoints. Default 10,000,000. */
  readonly quota: number
  /** A calendar day or month, UTC. Default month. */
  readonly quotaPeriod: 'day' | 'month'
  /** A push to more devices than this needs their number; 0 = no push does. Default 0. */
  readonly confirmAbove: number
  /** Seconds for which a push to many can be cancelled before it goes out. Default 0. */
  readonly holdSeconds: number
  /** Tags and types together that calls without the secret may bring it to; 0 = no limit. Default 100,000. */
  readonly maxLabels: number
  /** Devices, in whatever state, that calls without the secret may bring it to; 0 = no limit. Default 1,000,000. */
  readonly maxDevices: number
  /** Whether the payload of a push carries its id, for the app to report the open with. Default true. */
  readonly pushId: boolean
  /** Whether every call needs the secret, so that the public id alone is worth nothing. Default false. */
  readonly secretEverywhere: boolean
  /** Whether a user or alias that comes without the secret must be proven. Default false. */
  readonly verifyUsers: boolean
  /**
   * Whether a registration takes the place of an imported device of its user; `null`: not said, which is no until an
   * import brings devices with users. Default null.
   */
  readonly adoptImported: boolean | null
}

export const DEFAULT_LIMITS: Limits = {
  rate: 10,
  burst: 100,
  backendRate: 100,
  backendBurst: 1000,
  quota: 10_000_000,
  quotaPeriod: 'month',
  confirmAbove: 0,
  holdSeconds: 0,
  maxLabels: 100_000,
  maxDevices: 1_000_000,
  pushId: true,
  secretEverywhere: false,
  verifyUsers: false,
  adoptImported: null,
}
