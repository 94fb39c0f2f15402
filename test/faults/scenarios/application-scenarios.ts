import { createApplicationStore } from '../../../src/application/application-store.ts'
import { createCredentialStore } from '../../../src/application/credential-store.ts'
import { readApnsKey, readServiceAccount } from '../../../src/application/credential.ts'
import { systemClock } from '../../../src/clock.ts'
import { openDatabase } from '../../../src/database/database.ts'
import { loadSealingKey } from '../../../src/sealing/sealing-key.ts'
import { apiOf } from '../stage/api.ts'
import { forTokens } from '../gateways/plan.ts'
import { registerBatch, tokenOf } from '../stage/crowd.ts'
import { createLedger } from '../stage/ledger.ts'
import { pushesTo } from '../stage/pushes.ts'
import type { Pushes } from '../stage/pushes.ts'
import { reached } from '../stage/settled.ts'
import type { Party, Stage } from '../stage/stage.ts'
import type { Scenario } from './scenario.ts'

const APPLICATIONS = 300
const DEVICES = 10
const TURNS = 3

/** One of this many applications starts with a failing phone. */
const TROUBLED = 10

/** Time limit for a turn, in ms. */
const TURN_MS = 30_000

/** Connections allowed beyond one per credential, in all turns. */
const SPARE_CONNECTIONS = APPLICATIONS / 5

export const APPLICATION_SCENARIOS: readonly Scenario[] = [
  {
    name: 'applications',
    what: `${APPLICATIONS} applications push to all ${TURNS} times, and keep their connections; one in ten has a phone that fails`,
    promptMs: 15_000,
    async run(stage) {
      const applications = await addApplications(stage)
      const ill = new Set<string>()
      for (const [n, { ledger }] of applications.entries()) {
        if (n % TROUBLED > 0) continue
        for (const [key, { token }] of [...ledger.devices].filter((_, at) => at % DEVICES === 0)) {
          ill.add(token)
          ledger.fates.set(key, 'waits')
        }
      }
      for (const gateway of [stage.apns, stage.fcm]) gateway.plan = forTokens(ill, { kind: 'refuse', as: 503 })
      for (let turn = 0; turn < TURNS; turn++) {
        await Promise.all(applications.map(({ pushes }) => pushes.toAll()))
        await stage.pushes.toAll()
        await reached(stage, TURN_MS)
      }
      for (const { connections } of [stage.apns, stage.fcm]) {
        const most = APPLICATIONS + SPARE_CONNECTIONS
        if (connections.total > most) stage.accuse(`connections of ${APPLICATIONS} applications: ${connections.total}`)
      }
      return stage.apns.met + stage.fcm.met
    },
  },
]

/** Stores them directly, since each command would be a process. The API registers their devices. */
async function addApplications(stage: Stage): Promise<readonly (Party & { readonly pushes: Pushes })[]> {
  await stage.stop()
  const made = storeApplications(stage)
  await stage.start()
  const parties = made.map((credentials) => {
    const api = apiOf(credentials, () => stage.url)
    return { credentials, api, ledger: createLedger() }
  })
  for (const { credentials, ...party } of parties) {
    for (const platform of [0, 1] as const) {
      const tokens = Array.from({ length: DEVICES }, (_, n) => tokenOf(platform, credentials.id, n))
      if (!(await registerBatch(party, platform, tokens))) stage.accuse('devices of another application were not taken')
    }
    stage.others.push(party)
  }
  return parties.map(({ api, ledger }) => ({ api, ledger, pushes: pushesTo(api, ledger, stage.seed) }))
}

function storeApplications({ data, known }: Stage): readonly { readonly id: string; readonly secret: string }[] {
  using database = openDatabase(data)
  const applications = createApplicationStore({ database, clock: systemClock })
  const key = loadSealingKey({ dataDirectory: data, hasCredentials: true })
  if (key.kind === 'problem') throw new Error(key.problem)
  const credentials = createCredentialStore({ database, clock: systemClock, key: key.key })
  return Array.from({ length: APPLICATIONS }, (_, n) => {
    const added = applications.create(`faults ${n}`)
    if (added.kind !== 'created') throw new Error(added.kind)
    const { application, secret } = added
    const { apnsKey, serviceAccount } = known.issue(application.id)
    for (const read of [readApnsKey({ ...apnsKey, environment: 'auto' }), readServiceAccount(serviceAccount)]) {
      if (read.kind === 'problem') throw new Error(read.problem)
      credentials.put(application, read)
    }
    return { id: application.id, secret }
  })
}
