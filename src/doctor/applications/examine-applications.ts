import { createCredentialStore } from '../../application/credential-store.ts'
import type { CredentialStore } from '../../application/credential-store.ts'
import type { Clock } from '../../clock.ts'
import { RELEASE } from '../../version.ts'
import type { InspectedDatabase } from '../database/inspected-database.ts'
import type { ClientCount, DeviceStateCount, FoundApplication } from '../database/inspection-store.ts'
import { failing, skipped } from '../finding.ts'
import type { CheckList, Finding } from '../finding.ts'
import type { ApnsSigning } from '../gateways/apns-probe.ts'
import { environmentsOf, subjectOf } from '../gateways/examine-gateways.ts'
import { keepFor } from '../gateways/kept-token-store.ts'
import type { Subject } from '../gateways/examine-gateways.ts'
import { judgeCertificate, judgeCredentials, judgeSubject, judgeUserKey } from './credential-check.ts'
import { judgeClients, judgeDevices, RECENT_MS } from './device-check.ts'
import { judgePushes, judgeWebhook } from './queue-check.ts'
import type { ProviderName } from '../../platform.ts'

interface Options {
  readonly clock: Clock
  readonly key: Uint8Array | null
  readonly offline: boolean
  readonly data: string
}

/** Returns the credentials that gateways can be asked about. */
export async function examineApplications(
  inspected: InspectedDatabase,
  applications: readonly FoundApplication[],
  list: CheckList,
  { data, clock, key, offline }: Options,
): Promise<readonly Subject[]> {
  const { database, inspection } = inspected
  if (database === null || inspection === null) return []
  const now = clock.now()
  let counts: readonly DeviceStateCount[] | null = null
  const devicesOf = (number: number): readonly DeviceStateCount[] => {
    counts ??= inspection.devices(now)
    return counts.filter((count) => count.application === number)
  }
  let clientCounts: readonly ClientCount[] | null = null
  const clientsOf = (number: number): readonly ClientCount[] => {
    clientCounts ??= inspection.clients()
    return clientCounts.filter((count) => count.application === number)
  }
  const credentials = storeOf(inspected, clock, key)
  const subjects: Subject[] = []
  const signing = { keepToken: keepFor(database, data, key ?? NO_KEY), signing: new Map() }

  for (const { number, id, name, simulated } of applications) {
    const application = { id, name }
    const place = (id: string) => ({ id, group: 'application', application }) as const
    const summaries = credentials?.summaries({ number }) ?? []
    const devices = await list.look(place('devices'), () =>
      judgeDevices(id, devicesOf(number), inspection.worstHour(number, now - RECENT_MS)),
    )
    // A failed read is reported already.
    const clients = devices.state === 'failed' ? null : judgeClients(id, clientsOf(number), RELEASE)
    if (clients !== null) await list.look(place('clients'), () => clients)
    await list.look(place('credentials'), () =>
      credentials === null
        ? skipped('The credentials are looked at when the database is upgraded: its tables are older ones.')
        : judgeCredentials(
            { id, simulated },
            summaries.map(({ provider }) => provider),
            devicesOf(number),
          ),
    )
    await list.look(place('pushes'), () => {
      const open = inspection.openDeliveries(now).filter((each) => each.application === number)
      const paused = inspection.paused().filter((each) => each.application === number)
      return judgePushes(
        open,
        paused.map(({ platform }) => platform),
        now,
      )
    })
    const verifying = inspection.verifying().find((each) => each.application === number)
    if (verifying !== undefined) await list.look(place('user-key'), () => judgeUserKey(verifying, id))
    const webhook = inspection.webhooks().find((each) => each.application === number)
    if (webhook !== undefined) await list.look(place('webhook'), () => judgeWebhook(webhook, id))

    for (const summary of summaries) {
      const expiresAt = summary.provider === 'apns' && summary.kind === 'certificate' ? summary.expiresAt : null
      if (expiresAt !== null) {
        await list.look(place('apns-certificate'), () => judgeCertificate(expiresAt, now, id))
      }
      const subject = summary.provider === 'webpush' ? judgeSubject(summary.subject, id) : null
      if (subject !== null) await list.look(place('webpush-subject'), () => subject)
      const expired = expiresAt !== null && now >= expiresAt
      const found = expired
        ? skipped('APNs was not asked: the certificate has expired.')
        : offline
          ? skipped('Its gateway was not asked (--offline).')
          : openedBy(credentials, key, { number, id, name }, summary.provider, signing)
      if ('kind' in found) subjects.push(found)
      else {
        const ids =
          summary.provider === 'apns'
            ? environmentsOf(summary).map((environment) => `apns-${environment}`)
            : [summary.provider]
        for (const id of ids) await list.look(place(id), () => found)
      }
    }
  }
  return subjects
}

/** Summaries are not sealed. */
const NO_KEY = new Uint8Array(32)

/** `null`: the tables are too old for it. */
function storeOf(
  { database }: InspectedDatabase,
  clock: Clock,
  key: Uint8Array | null,
): Pick<CredentialStore, 'summaries' | 'credentialOf'> | null {
  if (database === null) return null
  try {
    return createCredentialStore({ database, clock, key: key ?? NO_KEY })
  } catch {
    return null
  }
}

function openedBy(
  credentials: Pick<CredentialStore, 'credentialOf'> | null,
  key: Uint8Array | null,
  application: Pick<FoundApplication, 'number' | 'id' | 'name'>,
  provider: ProviderName,
  signing: ApnsSigning,
): Subject | Finding {
  if (key === null) return skipped('Its gateway was not asked: the sealing key does not open the credential.')
  const { id, name } = application
  try {
    const credential = credentials?.credentialOf(application, provider) ?? null
    if (credential === null) return skipped('It was removed meanwhile.')
    return subjectOf({ application: { id, name }, credential, signing })
  } catch {
    return failing(
      'The sealing key does not open the stored credential: it is damaged.',
      `Store it again: bellhop app ${provider} ${id}.`,
    )
  }
}
