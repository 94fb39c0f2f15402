import { createAdminLogStore } from '../admin/admin-log-store.ts'
import { createCallLog } from '../admin/call-log.ts'
import { APPLICATION_HEADER } from '../admin/routes/on-behalf-routes.ts'
import type { OnBehalfApi } from '../admin/routes/on-behalf-routes.ts'
import type { ApplicationDirectory } from '../application/application-directory.ts'
import { failure } from '../failure.ts'
import type { Resend } from '../push/resend/resend.ts'
import type { CallLog } from '../admin/call-log.ts'
import type { OnRefused } from '../http/failures.ts'
import { noted } from '../log.ts'
import { createPublicApi } from './public-api.ts'
import { publicParts, servicePushing } from './public-parts.ts'
import type { AdmissionRules, PublicApiService } from './public-parts.ts'

/** Nobody counts the calls of administrators. */
const UNLIMITED = { allowed: true, limit: 0, rate: 0, remaining: 0, retryAfterSeconds: 0, resetSeconds: 0 } as const

/** The contract as it is: what a client of the original service expects is nothing to an administrator. */
const CONFIG = { compat: false, docs: 'off', headerPrefix: null } as const

interface Dependencies extends Omit<PublicApiService, 'config' | 'calls'> {
  readonly config: Pick<PublicApiService['config'], 'pushServices'>
}

/** What administrators do with what belongs to an application: all of it is in their log. */
export interface OnBehalf extends Pick<CallLog, 'during'> {
  readonly api: OnBehalfApi
  readonly resend: Resend
}

/** The public API, and what goes beyond it, for the admin side: it commits with the log of who has changed what. */
export function createOnBehalf(deps: Dependencies): OnBehalf {
  const calls = createCallLog({ ...deps, log: createAdminLogStore(deps), onError: noted(deps.log) })
  const { commit, during } = calls
  const onRefused: OnRefused = (request, requestId, why) => {
    deps.onRefused(request, requestId, why)
    calls.refused(why.code)
  }
  const service = {
    ...deps,
    commit,
    onRefused,
    calls: null,
    config: { ...CONFIG, pushServices: deps.config.pushServices },
  }
  // Made with the first call, for the sake of starts: it is the whole public API once more.
  let made: ReturnType<typeof createPublicApi> | null = null
  const api = () => (made ??= createPublicApi(publicParts(service, admissionBy(deps.directory))))
  return {
    api: {
      answer: (request) => api().app.handle(request),
      routeOf: (url) => api().routeOf(url),
    },
    during,
    resend: servicePushing(service).resend,
  }
}

/**
 * Admission to the public API that asks for nothing: whoever comes here is an administrator, and has the rights of the
 * application's own backend. It may stand behind the gate of the admin side alone.
 */
function admissionBy(directory: Pick<ApplicationDirectory, 'byId'>): AdmissionRules {
  return {
    admit({ headers }) {
      const application = directory.byId(headers.get(APPLICATION_HEADER) ?? '')
      if (application === null) return { kind: 'refused', why: failure('ResourceNotFound', 'No application found') }
      return { kind: 'admitted', application, withSecret: true, address: null, bucket: UNLIMITED }
    },
  }
}
