/*
 * The admin API's requests and answers: JSON, times in ISO 8601 (UTC), applications by their public ID (`app_…`),
 * failures as `Refusal`. `/api/applications/:id/v1/…` is the public API with the secret's rights: see `/openapi.json`
 * of the public listener (without `--compat`). It reads no headers but `Idempotency-Key`, and `token` and `platform`
 * where they name a device.
 */
export interface Refusal {
  readonly code: string
  /** A sentence. Starts with the invalid field's name, if any: `quota must be …`. */
  readonly message: string
}
