import type { AnyElysia } from 'elysia'
import { compatRoutes, compatShape } from '../../device/compat/compat-routes.ts'
import { devicePropertyRoutes } from '../../device/routes/device-property-routes.ts'
import { deviceRoutes } from '../../device/routes/device-routes.ts'
import { browserRoutes } from '../../device/webpush/browser-routes.ts'
import { registryRoutes } from '../../device/routes/registry-routes.ts'
import { userRoutes } from '../../device/routes/user-routes.ts'
import { hookRoutes } from '../../hook/hook-routes.ts'
import { createTakeEvent } from '../../hook/take-event.ts'
import { createApi } from '../../http/api.ts'
import type { Audited, Gate } from '../../http/gate.ts'
import { createGate } from '../../http/gate.ts'
import { cancelRoutes } from '../../push/cancel-routes.ts'
import { previewRoutes } from '../../push/preview/preview-routes.ts'
import { createPushToAll } from '../../push/push-to-all.ts'
import { pushRoutes } from '../../push/push-routes.ts'
import { shownRoutes } from '../../push/shown/shown-routes.ts'
import { statusRoutes } from '../../push/status/status-routes.ts'
import { statsRoutes } from '../../stats/stats-routes.ts'
import { WEBHOOKS } from '../../webhook/event-schema.ts'
import type { PublicParts } from './public-parts.ts'

export interface PublicApi extends Pick<Gate, 'routeOf'> {
  readonly app: AnyElysia
}

export function createPublicApi(parts: PublicParts): PublicApi {
  const { config, clock, log, commit, admission, devices, judgeProof, bounds, counting, pool, receipts } = parts
  const { compat } = config
  const { pushing } = parts
  const gate = createGate(admission.admit, admission)
  const audited: Audited = ({ application: { id, name }, request, action, detail = {} }, work) => {
    const by = { kind: 'application', name, origin: gate.addressOf(request) } as const
    return parts.calls === null ? work() : parts.calls.during({ by, action, subject: id, detail }, work)
  }
  const app = createApi({
    gate,
    log,
    onRefused: parts.onRefused,
    compat,
    headerPrefixes: config.headerPrefix ?? [],
    documented: config.docs === 'on',
    webhooks: WEBHOOKS,
    pages: [browserRoutes({ directory: parts.directory, credentials: parts.credentials }), ...hookPages(gate, parts)],
    routes: [
      deviceRoutes({
        gate,
        commit,
        devices,
        bounds,
        judgeProof,
        pushServices: config.pushServices ?? [],
        log,
        aliasesOpen: compat,
      }),
      devicePropertyRoutes({
        gate,
        commit,
        devices,
        bounds,
        judgeProof,
        badgeSet: (application, platform) => pool.badgeSet(application, platform),
        aliasesOpen: compat,
      }),
      registryRoutes({
        gate,
        devices,
        feedback: parts.feedback,
        ...(compat && { shape: compatShape }),
      }),
      userRoutes({ gate, audited, eraseUser: parts.eraseUser }),
      pushRoutes({ gate, devices, pushing, compat }),
      previewRoutes({ gate, clock, counting, devices, pushing, compat }),
      statusRoutes({
        gate,
        clock,
        statuses: parts.statuses,
        explanations: parts.explanations,
        pauseOf: (application, platform) => pool.pauseOf(application, platform),
      }),
      cancelRoutes({
        gate,
        audited,
        commit: parts.calls?.commit ?? commit,
        clock,
        compat,
        cancellations: pushing,
        deliveries: pool,
      }),
      shownRoutes({
        gate,
        audited,
        commit: parts.calls?.commit ?? commit,
        takeBack: pushing.takeBack,
        deliveries: pool,
      }),
      statsRoutes({
        gate,
        commit,
        clock,
        stats: parts.stats,
        clear: (...tap) => pushing.takeBack.clear(...tap),
        counted: (application, event) => receipts.note(application, event),
      }),
      ...(compat ? [compatRoutes({ gate, commit, devices, bounds })] : []),
    ],
  })
  return { app, routeOf: (url) => gate.routeOf(url) }
}

function hookPages(gate: Gate, parts: PublicParts): readonly AnyElysia[] {
  const { clock, commit, directory, devices, pushing, hooks } = parts
  const { hookCalls } = parts.admission
  if (hooks === null || hookCalls === undefined) return []
  const takeEvent = createTakeEvent({ clock, commit, hooks, pushToAll: createPushToAll({ devices, pushing }) })
  return [hookRoutes({ gate, clock, directory, hooks, admission: hookCalls, takeEvent })]
}
