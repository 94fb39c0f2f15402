import { hostname } from 'node:os'
import type { Alert, AlertKind, AlertCondition } from '../../alert/alert.ts'
import { startAlertSender } from '../../alert/alert-sender.ts'
import { createAlertStore } from '../../alert/alert-store.ts'
import { createSendMail } from '../../alert/mail-client.ts'
import { createSendAlert } from '../../alert/send-alert.ts'
import { HOUR_MS } from '../../clock.ts'
import { judgeCertificate } from '../../doctor/applications/credential-check.ts'
import { checkTlsFiles } from '../../doctor/machine/settings-check.ts'
import type { Finding } from '../../doctor/finding.ts'
import type { CountStore } from '../../monitoring/count-store.ts'
import type { Readiness } from '../../monitoring/readiness.ts'
import { readSystemFile } from '../../system/read-file.ts'
import type { Post } from '../../webhook/post.ts'
import type { Service } from '../service.ts'

export interface AlertParts extends Service {
  readonly post: Post
  readonly readiness: () => Promise<Readiness>
  readonly certificates: CountStore['certificates']
}

export function startAlerts(deps: AlertParts) {
  const { config, clock, log, database, commit, key, ca, post, directory, readiness, opened } = deps
  const alerts = createAlertStore({ database, clock, key })
  const tls = hourly(deps, () =>
    config.tlsCert === null || config.tlsKey === null
      ? null
      : checkTlsFiles(config.tlsCert, config.tlsKey, readSystemFile, clock.now()),
  )
  const sender = startAlertSender({
    clock,
    log,
    commit,
    alerts,
    instance: config.publicUrl === null ? (config.adminHost?.[0] ?? hostname()) : new URL(config.publicUrl).host,
    send: createSendAlert(post, createSendMail({ clock, ca, allowPrivate: config.webhookPrivate })),
    async look() {
      const certificates = deps.certificates().flatMap(({ application, expiresAt }) => {
        const of = directory.byNumber(application)
        if (of === null) return []
        const finding = judgeCertificate(expiresAt, clock.now(), of.id)
        return certificateCondition(`apns/${application}`, { ...finding, found: `${of.name}: ${finding.found}` })
      })
      return [...readinessConditions((await readiness()).found), ...certificates, ...certificateCondition('tls', tls())]
    },
  })
  opened.defer(() => sender.stop())
  return { list: alerts.list, find: alerts.find, test: (alert: Alert) => sender.test(alert) }
}

type Found = Readiness['found']

/** What alerts report of each check. What heals by itself, such as an unreachable gateway, is left out. */
const TOLD: readonly (readonly [check: keyof Found, kind: AlertKind, isFailure: boolean, next: string])[] = [
  ['database', 'not-ready', true, 'bellhop doctor'],
  ['queue', 'not-ready', true, 'bellhop doctor'],
  ['credentials', 'credential', true, 'bellhop doctor, and bellhop manual credentials'],
  ['disk', 'disk', true, 'free space on the data disk; bellhop doctor'],
  ['backups', 'backup-late', false, 'bellhop doctor, and bellhop manual backup'],
  ['quotas', 'quota', false, 'bellhop app limits'],
]

const GATEWAY_QUOTA = /\((?:QUOTA_EXCEEDED|RATE_LIMIT_EXCEEDED|RESOURCE_EXHAUSTED)\)/

export function readinessConditions(found: Found): readonly AlertCondition[] {
  const told = TOLD.flatMap(([check, kind, isFailure, next]) =>
    found[check].map(({ about, what }) => ({ kind, isFailure, about: `${check}/${about}`, what, next })),
  )
  const quotas = found.gateways
    .filter(({ what }) => GATEWAY_QUOTA.test(what))
    .map(({ about, what }): AlertCondition => {
      const next = 'it goes on by itself; bellhop manual fcm'
      return { kind: 'quota', isFailure: false, about: `gateways/${about}`, what, next }
    })
  return [...told, ...quotas]
}

function certificateCondition(about: string, finding: Finding | null): readonly AlertCondition[] {
  if (finding === null || finding.state === 'ok') return []
  const { found: what, advice } = finding
  return [
    { kind: 'certificate', isFailure: false, about: `certificate/${about}`, what, next: advice ?? 'bellhop doctor' },
  ]
}

/** Runs `look` at most once an hour: it reads and checks files. */
function hourly<Value>({ clock }: Pick<Service, 'clock'>, look: () => Value): () => Value {
  let last: { readonly at: number; readonly value: Value } | null = null
  return () => {
    const at = clock.monotonic()
    if (last === null || at - last.at >= HOUR_MS) last = { at, value: look() }
    return last.value
  }
}
