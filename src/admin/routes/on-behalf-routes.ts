import { Elysia } from 'elysia'
import type { Commit } from '../../database/group-commit.ts'
import type { AdminGate } from '../admin-gate.ts'
import { adminCall } from '../admin-endpoint.ts'
import type { AdminLogStore } from '../admin-log-store.ts'
import { known } from '../administrator.ts'
import { applicationNamed } from '../application-fields.ts'
import type { KnownApplications } from '../application-fields.ts'

/** The public API as the backend of any application sees it: who calls is known before. */
export interface OnBehalfApi {
  /** `APPLICATION_HEADER` says of which application. */
  readonly answer: (request: Request) => Response | Promise<Response>
  /** The route that a URL leads to, such as `/push/:id`; `null` for none. */
  readonly routeOf: (url: string) => string | null
}

/** Whatever the caller has put there is replaced. */
export const APPLICATION_HEADER = 'x-service-appid'

/** What only looks, although a body says at what. */
const LOOKS: ReadonlySet<string> = new Set(['/push/preview'])

interface Dependencies {
  readonly gate: AdminGate
  readonly commit: Commit
  readonly directory: KnownApplications
  readonly log: Pick<AdminLogStore, 'add'>
  readonly api: OnBehalfApi
  /** Hears of what could not be written down although it was done. */
  readonly onError: (error: unknown) => void
}

/** The public API on behalf of an application, below `/api/applications/:id/v1`. */
export function onBehalfRoutes({ gate, commit, directory, log, api, onError }: Dependencies) {
  return new Elysia({ name: 'on-behalf-routes' }).use(gate).all(
    '/api/applications/:id/v1/*',
    async ({ actor, params, request, set }) => {
      const { id } = applicationNamed(directory, params.id)
      const { headers, method } = request
      headers.set(APPLICATION_HEADER, id)
      // The API answers pages of any origin; here only our own gets this far.
      headers.delete('origin')
      const response = await api.answer(withOwnPath(request))
      const route = api.routeOf(request.url)
      if (method !== 'GET' && response.ok && route !== null && !LOOKS.has(route)) {
        const by = known(actor)
        await commit(() => log.add(by, 'call', id, { method, route })).catch(onError)
      }
      // The answer has its own.
      set.headers = {}
      return response
    },
    adminCall({ tag: 'Applications', summary: 'The public API on behalf of the application' }),
  )
}

/** The request itself, with what stands behind `…/v1` as its path: a new one would have to carry over the body. */
function withOwnPath(request: Request): Request {
  const { url } = request
  const path = url.indexOf('/v1/', url.indexOf('/api/applications/')) + '/v1'.length
  return Object.defineProperty(request, 'url', { value: `http://localhost${url.slice(path)}` })
}
