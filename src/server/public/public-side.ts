import { createAdminLogStore } from '../../admin/admin-log-store.ts'
import { createCallLog } from '../../admin/call-log.ts'
import { createUserKeyStore } from '../../application/user-key-store.ts'
import { createJudgeProof } from '../../application/user-proofs.ts'
import type { HookStore } from '../../hook/hook-store.ts'
import { createIdOf, admission, charge, wrongCredentials } from '../../http/admission.ts'
import { createRefusalLog } from '../../http/refusal-log.ts'
import { logError } from '../../log.ts'
import { createPublicApi } from './public-api.ts'
import { publicParts } from './public-parts.ts'
import type { PublicApiService, AdmissionRules } from './public-parts.ts'
import type { Forwarding } from '../move/forwarding.ts'
import type { Senders } from '../sending/senders.ts'
import type { Service } from '../service.ts'
import { DEFAULT_LIMITS } from '../../application/application.ts'
import { secretMatches } from '../../application/secret.ts'
import type { AdmissionDeps } from '../../http/admission.ts'
import type { HookAdmission } from '../../hook/hook-routes.ts'
import { createCallerOf } from '../../http/client-address.ts'
import type { OnRefused } from '../../http/failures.ts'
import { siteKey, userKey } from '../../network/address.ts'
import { createFailureThrottle } from '../../usage/throttles.ts'
import { createRateLimiter } from '../../usage/rate-limiter.ts'

type Dependencies = Service &
  Pick<PublicApiService, 'schedule' | 'hasRoom'> & {
    readonly senders: Senders
    readonly hooks: HookStore
    readonly forwarding: Pick<Forwarding, 'callerOf'>
  }

export function publicSide(parts: Dependencies, makeApi = createPublicApi) {
  const { clock, config, database, directory, key, log } = parts
  const idOf = createIdOf(config.headerPrefix ?? [])
  const refusals = createRefusalLog({
    clock,
    log,
    routeOf: (url) => api.routeOf(url),
    applicationOf: (headers) => directory.byId(idOf(headers) ?? '')?.id ?? null,
  })
  const onRefused = refusals.note
  const userKeys = createUserKeyStore({ database, clock, key })
  const service = { ...parts, onRefused, judgeProof: createJudgeProof({ clock, directory, userKeys }) }
  const calls = createCallLog({ ...parts, log: createAdminLogStore(parts), onError: logError(log) })
  const api = makeApi(publicParts({ ...service, calls }, createServiceAdmission({ ...parts, onRefused })))
  return { api, service, refusals }
}

interface AdmissionParts extends Pick<Service, 'config' | 'clock' | 'log' | 'directory' | 'ledger' | 'metrics'> {
  readonly onRefused: OnRefused
  readonly forwarding: Pick<Forwarding, 'callerOf'>
}

/** Calls without an application: pages and their files have the limits of an app's calls. */
const NO_APPLICATION = 0
/** Calls of hooks before the hook is known: the limits of a backend. */
const NO_HOOK = -1

function createServiceAdmission({
  config,
  clock,
  log,
  directory,
  ledger,
  metrics,
  onRefused,
  forwarding,
}: AdmissionParts): AdmissionRules & { readonly hookCalls: HookAdmission } {
  const limiter = createRateLimiter({ clock })
  const throttle = createFailureThrottle({ clock })
  const rely: AdmissionDeps = {
    versionOptional: config.compat,
    headerPrefixes: config.headerPrefix ?? [],
    byId: (id) => directory.byId(id),
    refresh: () => directory.refresh(),
    secretMatches: (application, secret) => secretMatches(application, secret, clock.now()),
    throttleFailure(address) {
      metrics.wrongCredentials++
      return throttle.failed(address)
    },
    takeCall({ number, limits }, address) {
      const { rate, burst, backendRate, backendBurst } = limits
      const own = address === null ? { rate: backendRate, burst: backendBurst } : { rate, burst }
      const verdict = limiter.take(userKey(number, address), own, siteKey(number, address))
      if (!verdict.allowed) metrics.refusals.note(number, 'rate')
      return verdict
    },
    chargeQuota(application, withSecret) {
      const verdict = ledger.charge(application, withSecret)
      if (!verdict.allowed) metrics.refusals.note(application.number, 'quota')
      return verdict
    },
  }
  return {
    admit: admission(rely),
    hookCalls: {
      wrong: (address, sentence) => wrongCredentials(rely, address, sentence),
      charge: (application) => charge(rely, application, null),
    },
    onRefused,
    takeOpen(address, asks) {
      const { backendRate: rate, backendBurst: burst } = DEFAULT_LIMITS
      if (asks === 'itself') return limiter.take(userKey(NO_HOOK, address), { rate, burst })
      return limiter.take(userKey(NO_APPLICATION, address), DEFAULT_LIMITS, siteKey(NO_APPLICATION, address))
    },
    looseText: config.compat,
    callerOf: forwarding.callerOf(
      createCallerOf({
        trusted: config.trustedProxies,
        onStranger: (peer) =>
          log.warn("forwarded calls share one address's rate limit: add the proxy to --trusted-proxies", {
            address: peer,
          }),
      }),
    ),
  }
}
