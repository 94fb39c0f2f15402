import type { Application } from '../application/application.ts'
import type { Log } from '../log.ts'
import { describeError } from '../text/error-code.ts'
import type { CountStore } from './count-store.ts'
import { gauge } from './exposition.ts'
import type { Family } from './exposition.ts'
import { named } from './tally.ts'
import type { NameOf } from './tally.ts'

interface Sources {
  readonly log: Pick<Log, 'error'>
  readonly store: Pick<CountStore, 'scheduled' | 'webhooks' | 'certificates' | 'sizes'>
  readonly applications: () => readonly Application[]
  readonly nameOf: NameOf
}

interface Stored {
  readonly families: readonly Family[]
  /** Whether each part could be read: 1 or 0. */
  readonly ok: Readonly<Record<string, 0 | 1>>
}

/** A part that can't be read, as on a damaged page, is logged and left out. */
export function storedFamilies({ log, store, applications, nameOf }: Sources): Stored {
  const families: Family[] = []
  const ok: Record<string, 0 | 1> = {}
  const parts: Readonly<Record<string, () => readonly Family[]>> = {
    scheduled: () => [gauge('bellhop_scheduled_pushes', 'Scheduled pushes.', store.scheduled())],
    sizes,
    certificates,
    webhooks,
  }
  for (const [part, read] of Object.entries(parts)) {
    try {
      families.push(...read())
      ok[part] = 1
    } catch (error) {
      ok[part] = 0
      log.error('a part of the metrics could not be read', { part, error: describeError(error) })
    }
  }
  return { families, ok }

  function sizes(): Family[] {
    const limits = applications().flatMap(({ name: application, limits: { maxDevices, maxLabels } }) => [
      [{ application, kind: 'devices' }, maxDevices] as const,
      [{ application, kind: 'labels' }, maxLabels] as const,
    ])
    const rows = named(store.sizes(), nameOf).flatMap(({ name: application, devices, labels }) => [
      [{ application, kind: 'devices' }, devices] as const,
      [{ application, kind: 'labels' }, labels] as const,
    ])
    return [
      gauge('bellhop_registry_rows', 'Devices in any state, tags and types of an application.', rows),
      gauge(
        'bellhop_registry_limit_rows',
        'Limit for calls without the secret. Absent if there is none.',
        limits.filter(([, limit]) => limit > 0),
      ),
    ]
  }

  function certificates(): Family[] {
    return [
      gauge(
        'bellhop_certificate_expiry_timestamp_seconds',
        'When the APNs certificate of an application expires, since the Unix epoch. Signing keys do not expire.',
        named(store.certificates(), nameOf).map(({ name, expiresAt }) => [{ application: name }, expiresAt / 1000]),
      ),
    ]
  }

  function webhooks(): Family[] {
    const rows = named(store.webhooks(), nameOf)
    return [
      gauge(
        'bellhop_webhook_events_waiting',
        'Undelivered events.',
        rows.map(({ name, waiting }) => [{ application: name }, waiting]),
      ),
      gauge(
        'bellhop_webhook_disabled',
        'Whether the receiver has answered 410, so that it gets no more events.',
        rows.map(({ name, disabled }) => [{ application: name }, disabled]),
      ),
    ]
  }
}
