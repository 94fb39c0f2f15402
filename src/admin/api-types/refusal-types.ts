/* The admin API's requests and answers, a file per subject. All is JSON, times are ISO 8601 in UTC, an application's `:id` is its public ID (`app_…`), and every failure is a `Refusal`. `/api/applications/:id/v1/…` is the public API with the secret's rights: see `/openapi.json` of the public listener (without `--compat`). It reads no headers but `Idempotency-Key`, and `token` and `platform` where they name a device. */
export interface Refusal {
  /** Such as `ResourceNotFound`. */
  readonly code: string
  /** One sentence, which starts with the name of the invalid field, if any: `quota must be …`. */
  readonly message: string
}
