import { operationsOf } from '../support/openapi.ts'
import type { Json } from '../support/openapi.ts'

/** What an endpoint asks of its caller, as the OpenAPI document has it. */
export interface Access {
  /** `PUT /deviceToken`. */
  readonly endpoint: string
  readonly needsSecret: boolean
  /** What whoever has the application id alone can do there, and cannot. */
  readonly can: string
  readonly cannot: string
  /** What it can where the application verifies its users. */
  readonly verified: string
}

export const THE_SAME = 'the same'

export function accessOf(document: Json): Access[] {
  return operationsOf(document).map(({ method, path, detail }) => {
    const needsSecret = 'secret' in detail['security'][0]
    const nothing = { can: 'nothing', cannot: 'call it', verified: 'nothing' }
    const { can, cannot, verified = THE_SAME } = needsSecret ? nothing : detail['x-id-alone']
    return { endpoint: `${method} ${path}`, needsSecret, can, cannot, verified }
  })
}

/** Endpoints of `document` that are not in `other`, or not like there. */
export function differing(document: Json, other: Json): Access[] {
  const known = new Map(accessOf(other).map((access) => [access.endpoint, access]))
  return accessOf(document).filter((access) => !Bun.deepEquals(access, known.get(access.endpoint)))
}

/** In Markdown. The last column is the same for all, and tested for each. */
export function accessTable(endpoints: readonly Access[]): string {
  const rows = endpoints.map(({ endpoint, needsSecret, can, cannot, verified }) => {
    const callers = needsSecret ? 'backend' : 'app, backend'
    return [`\`${endpoint}\``, callers, can, cannot, verified, 'nothing']
  })
  const switches = ['With `--verify-users` it can', 'With `--secret-everywhere` it can']
  const head = ['Call', 'Callers', 'The id alone can', 'It cannot', ...switches]
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
