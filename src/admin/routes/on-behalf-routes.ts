import { Elysia } from 'elysia'
import type { JsonSchema } from '../../http/fields.ts'
import { pathOf } from '../../http/path-table.ts'
import { adminCall } from '../admin-endpoint.ts'
import { known } from '../administrator.ts'
import type { Actor } from '../administrator.ts'
import { applicationNamed } from '../application-fields.ts'
import type { CallLog } from '../call-log.ts'
import type { AdminParts } from './admin-parts.ts'

/** With the rights of any application's backend. The caller is already checked. */
export interface OnBehalfApi {
  /** `APPLICATION_HEADER` names the application. */
  readonly answer: (request: Request) => Response | Promise<Response>
  /** Such as `/push/:id`; `null`: none. */
  readonly routeOf: (url: string) => string | null
}

export const APPLICATION_HEADER = 'x-service-appid'

interface Dependencies extends AdminParts {
  readonly calls: Pick<CallLog, 'during'>
  readonly api: OnBehalfApi
}

/** Audit log actions. Default `call`. */
const ACTIONS: Readonly<Record<string, string>> = {
  'POST /push/all': 'push',
  'POST /push/one': 'push',
  'POST /push/:id/cancel': 'cancel',
  'DELETE /push/:id/shown': 'withdraw',
  'PUT /push/:id/shown': 'replace',
  'PUT /user/del': 'erase user',
}

const SHOWN = '/api/applications/:id/v1/push/:push/shown'

const ANY: JsonSchema = { description: 'As the public API answers; see its own document for the schemas.' }

interface Call {
  readonly actor: Actor | null
  readonly params: { readonly id: string }
  readonly request: Request
  readonly set: { headers: object }
}

export function onBehalfRoutes({ gate, directory, calls, api }: Dependencies) {
  const answer = ({ actor, params, request, set }: Call): Promise<Response> => {
    const { id } = applicationNamed(directory, params.id)
    const { headers, method } = request
    headers.set(APPLICATION_HEADER, id)
    // Against CORS headers: only our own page could get them here.
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
    const answered = isLook ? api.answer(own) : calls.during(call, () => api.answer(own))
    return Promise.resolve(answered).then((response) => {
      set.headers = {}
      return response
    })
  }

  return (
    new Elysia({ name: 'on-behalf-routes' })
      .use(gate)
      .all(
        '/api/applications/:id/v1/*',
        answer,
        adminCall('Applications', 'The public API on behalf of the application', { answer: ANY }),
      )
      // Named for their purpose: they send.
      .put(SHOWN, answer, adminCall('Pushes', 'Replace what a push shows', { action: 'replace', answer: ANY }))
      .delete(SHOWN, answer, adminCall('Pushes', 'Withdraw a push', { action: 'withdraw', answer: ANY }))
  )
}

/** Changes the path in place: a new request would have to copy the body. */
function withOwnPath(request: Request): Request {
  const { url } = request
  const path = url.indexOf('/v1/', url.indexOf('/api/applications/')) + '/v1'.length
  return Object.defineProperty(request, 'url', { value: `http://localhost${url.slice(path)}` })
}
