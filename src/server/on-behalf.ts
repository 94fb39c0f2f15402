import { APPLICATION_HEADER } from '../admin/routes/on-behalf-routes.ts'
import type { ApplicationDirectory } from '../application/application-directory.ts'
import { failure } from '../failure.ts'
import { createGate } from '../http/gate.ts'
import type { Gate } from '../http/gate.ts'

/** Nobody counts the calls of administrators. */
const UNLIMITED = { allowed: true, limit: 0, rate: 0, remaining: 0, retryAfterSeconds: 0, resetSeconds: 0 } as const

/**
 * A gate of the public API that asks for nothing: whoever comes here is an administrator, and has the rights of the
 * application's own backend. It may stand behind the gate of the admin side alone.
 */
export function createOnBehalfGate(directory: Pick<ApplicationDirectory, 'byId'>): Gate {
  return createGate(({ headers }) => {
    const application = directory.byId(headers.get(APPLICATION_HEADER) ?? '')
    if (application === null) return { kind: 'refused', why: failure('ResourceNotFound', 'No application found') }
    return { kind: 'admitted', application, withSecret: true, bucket: UNLIMITED }
  })
}
