import type { Application } from '../application/application.ts'

/** A call by the backend of an application that belongs into the audit log. */
export interface AuditedCall {
  readonly application: Application
  readonly request: Request
  readonly action: string
  readonly detail?: Readonly<Record<string, unknown>>
}

/** Runs `work` so that what it commits is in the audit log as `call`. */
export type Audited = <T>(call: AuditedCall, work: () => T) => T
