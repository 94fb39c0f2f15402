import { createAdminLogStore } from '../../admin/admin-log-store.ts'
import { createCallLog } from '../../admin/call-log.ts'
import { createUserKeyStore } from '../../application/user-key-store.ts'
import { createJudgeProof } from '../../application/user-proofs.ts'
import type { HookStore } from '../../hook/hook-store.ts'
import { createIdOf } from '../../http/admission.ts'
import { createRefusalLog } from '../../http/refusal-log.ts'
import { noted } from '../../log.ts'
import { createPublicApi } from './public-api.ts'
import { publicParts } from './public-parts.ts'
import type { PublicApiService } from './public-parts.ts'
import type { Forwarding } from '../move/forwarding.ts'
import type { Senders } from '../sending/senders.ts'
import { createServiceAdmission } from './service-admission.ts'
import type { Service } from '../service.ts'

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
  const calls = createCallLog({ ...parts, log: createAdminLogStore(parts), onError: noted(log) })
  const api = makeApi(publicParts({ ...service, calls }, createServiceAdmission({ ...parts, onRefused })))
  return { api, service, refusals }
}
