/** The wire's own: `"0"` is iOS, `"1"` Android, `"2"` a browser. */
export type WirePlatform = '0' | '1' | '2'
export const WIRE_PLATFORMS: readonly WirePlatform[] = ['0', '1', '2']

/** What each call of the registry takes; a body is sent as it is. */
export type Endpoint =
  | 'PUT /deviceToken'
  | 'PUT /deviceToken/batch'
  | 'PUT /deviceToken/del'
  | 'PUT /alias'
  | 'PUT /tag'
  | 'PUT /tag/del'
  | 'PUT /geo'
  | 'GET /deviceToken/all'
  | 'GET /feedback'
  | 'GET /deviceToken/one'
  | 'POST /push/all'
  | 'POST /push/one'
  | 'PUT /badge'
  | 'PUT /stats'
  | 'GET /analytics'
  | 'POST /push/preview'
  // Of no caller, but of the operator.
  | 'import'

/**
 * Whose credentials a call has: of the application's backend, with its secret; of its app, with the id alone; of a
 * thief, who has the secret of the other application.
 */
export type By = 'backend' | 'app' | 'thief'

export interface RegistryCall {
  readonly endpoint: Endpoint
  /** The application: the first or the second of the two. */
  readonly of: 0 | 1
  readonly by: By
  readonly body: Readonly<Record<string, unknown>>
  /** Headers `token` and `platform` of GET /deviceToken/one. */
  readonly headers: Readonly<Record<string, string>>
}

export interface RegistryAnswer {
  readonly status: number
  /** Of a failure only its code; of the list of devices all pages, of a preview who is addressed. */
  readonly body: unknown
  /** Of a push: the tokens that have taken it, sorted. */
  readonly reached?: readonly string[]
}

export function shownCall({ endpoint, of, by, body, headers }: RegistryCall): string {
  const sent = endpoint.startsWith('GET') ? headers : body
  return `${endpoint} ${JSON.stringify(sent)} of application ${of} by its ${by}`
}

/** The call with each of Apple's tokens spelled as it is stored: upper-case hex digits are the same token. */
export function inLowerCase(call: RegistryCall): RegistryCall {
  const text = JSON.stringify({ body: call.body, headers: call.headers })
  return { ...call, ...JSON.parse(text.replaceAll(/"[0-9a-fA-F]{64,200}"/g, (token) => token.toLowerCase())) }
}
