/*
 * What the admin API answers, and takes, is in the files beside by its subject: everything there is JSON, times are ISO 8601 in UTC, and `:id` of an application
 * is its public id (`app_…`). The path and the method stand above each. Every answer that is no success is a `Refusal`.
 *
 * `/api/applications/:id/v1/…` is the public API itself on behalf of the application, with the secret's rights: no
 * headers but `Idempotency-Key`, and `token`, `platform` where an endpoint names a device by them. Its paths, shapes
 * and codes are those of `/openapi.json` of the public listener (without `--compat`).
 */
export interface Refusal {
  /** `InvalidArgument`, `ResourceNotFound` … */
  readonly code: string
  /** One sentence. It begins with the name of the field where one is at fault: `quota must be …`. */
  readonly message: string
}
