import { Elysia } from 'elysia'
import type { JsonSchema } from '../../http/fields.ts'
import { pathOf } from '../../http/path-table.ts'
import type { AdminGate } from '../admin-gate.ts'
import { adminCall } from '../admin-endpoint.ts'
import { known } from '../administrator.ts'
import { applicationNamed } from '../application-fields.ts'
import type { KnownApplications } from '../application-fields.ts'
import type { CallLog } from '../call-log.ts'

/** The public API as the backend of any application sees it: who calls is known before. */
export interface OnBehalfApi {
  /** `APPLICATION_HEADER` says of which application. */
  readonly answer: (request: Request) => Response | Promise<Response>
  /** The route that a URL leads to, such as `/push/:id`; `null` for none. */
  readonly routeOf: (url: string) => string | null
}

/** Whatever the caller has put there is replaced. */
export const APPLICATION_HEADER = 'x-service-appid'

interface Dependencies {
  readonly gate: AdminGate
  readonly directory: KnownApplications
  readonly calls: Pick<CallLog, 'during'>
  readonly api: OnBehalfApi
}

/** What the audit log calls a call. Default `call`. */
const ACTIONS: Readonly<Record<string, string>> = {
  'POST /push/all': 'push',
  'POST /push/one': 'push',
  'POST /push/:id/cancel': 'cancel',
  'PUT /user/del': 'erase user',
}

const ANY: JsonSchema = { description: 'As the public API answers; its own document has the shapes.' }

/** The public API on behalf of an application, below `/api/applications/:id/v1`. What it changes, it commits with its log. */
export function onBehalfRoutes({ gate, directory, calls, api }: Dependencies) {
  return new Elysia({ name: 'on-behalf-routes' }).use(gate).all(
    '/api/applications/:id/v1/*',
    async ({ actor, params, request, set }) => {
      const { id } = applicationNamed(directory, params.id)
      const { headers, method } = request
      headers.set(APPLICATION_HEADER, id)
      // The API answers pages of any origin; here only our own gets this far.
      headers.delete('origin')
      const own = withOwnPath(request)
      const route = api.routeOf(own.url) ?? ''
      const by = known(actor)
      const push = route.startsWith('/push/:id') ? { push: pathOf(own.url).split('/')[2] } : {}
      const call = {
        by,
        action: ACTIONS[`${method} ${route}`] ?? 'call',
        subject: id,
        detail: { method, route, ...push },
      }
      const isLook = method === 'GET' || route === '/push/preview'
      const response = await (isLook ? api.answer(own) : calls.during(call, () => api.answer(own)))
      // The answer has its own.
      set.headers = {}
      return response
    },
    adminCall({ tag: 'Applications', summary: 'The public API on behalf of the application', answer: ANY }),
  )
}

/** The request itself, with what stands behind `…/v1` as its path: a new one would have to carry over the body. */
function withOwnPath(request: Request): Request {
  const { url } = request
  const path = url.indexOf('/v1/', url.indexOf('/api/applications/')) + '/v1'.length
  return Object.defineProperty(request, 'url', { value: `http://localhost${url.slice(path)}` })
}
