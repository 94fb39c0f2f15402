import { createAdminLogStore } from '../../admin/admin-log-store.ts'
import { createCallLog } from '../../admin/call-log.ts'
import { APPLICATION_HEADER } from '../../admin/routes/on-behalf-routes.ts'
import type { OnBehalfApi } from '../../admin/routes/on-behalf-routes.ts'
import type { ApplicationDirectory } from '../../application/application-directory.ts'
import { failure } from '../../failure.ts'
import type { Pushing } from '../../push/pushing.ts'
import type { CallLog } from '../../admin/call-log.ts'
import type { OnRefused } from '../../http/failures.ts'
import { logError } from '../../log.ts'
import { createPublicApi } from './public-api.ts'
import { publicParts, servicePushing } from './public-parts.ts'
import type { AdmissionRules, PublicApiService } from './public-parts.ts'

const UNLIMITED = { allowed: true, limit: 0, rate: 0, remaining: 0, retryAfterSeconds: 0, resetSeconds: 0 } as const

/** Without what clients of the original service expect. */
const CONFIG = { compat: false, docs: 'off', headerPrefix: null } as const

interface Dependencies extends Omit<PublicApiService, 'config' | 'calls'> {
  readonly config: Pick<PublicApiService['config'], 'pushServices'>
}

export interface OnBehalf extends Pick<CallLog, 'during'> {
  readonly api: OnBehalfApi
  readonly pushing: Pick<Pushing, 'preview' | 'reach' | 'resend'>
}

export function createOnBehalf(deps: Dependencies): OnBehalf {
  const calls = createCallLog({ ...deps, log: createAdminLogStore(deps), onError: logError(deps.log) })
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
  // The whole public API once more, so it is made on the first call.
  let made: ReturnType<typeof createPublicApi> | null = null
  const api = () => (made ??= createPublicApi(publicParts(service, admissionBy(deps.directory))))
  return {
    api: {
      answer: (request) => api().app.handle(request),
      routeOf: (url) => api().routeOf(url),
    },
    during,
    pushing: servicePushing(service),
  }
}

/** Admits every call, with the rights of the application's backend. Only behind the gate of the admin side. */
function admissionBy(directory: Pick<ApplicationDirectory, 'byId'>): AdmissionRules {
  return {
    admit({ headers }) {
      const application = directory.byId(headers.get(APPLICATION_HEADER) ?? '')
      if (application === null) return { kind: 'refused', why: failure('ResourceNotFound', 'No application found') }
      return { kind: 'admitted', application, withSecret: true, address: null, bucket: UNLIMITED }
    },
  }
}
