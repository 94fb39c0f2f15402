import { generateKeyPairSync } from 'node:crypto'
import { createApplicationStore } from '../../../src/application/application-store.ts'
import { createCredentialStore } from '../../../src/application/credential-store.ts'
import { readServiceAccount } from '../../../src/application/credential.ts'
import { systemClock } from '../../../src/clock.ts'
import { openDatabase } from '../../../src/database/database.ts'
import { loadSealingKey } from '../../../src/sealing/sealing-key.ts'
import { FCM_PROJECT } from '../gateway/accepting-answer.ts'
import type { DeviceSet } from './device-set.ts'

/** Pads a token to the 163 characters of Google's. */
const FILLING = 'x'.repeat(70)

/** Turns a copy's devices into Android ones, with an FCM credential. */
export function giveAndroid({ directory, applicationId }: DeviceSet): void {
  using database = openDatabase(directory)
  const application = createApplicationStore({ database, clock: systemClock }).find(applicationId)
  if (application === null) throw new Error(`there is no application ${applicationId}`)
  const key = loadSealingKey({ dataDirectory: directory, hasCredentials: true })
  if (key.kind === 'problem') throw new Error(key.problem)
  createCredentialStore({ database, clock: systemClock, key: key.key }).put(application, serviceAccount())

  const change = database.statement<never, [string]>(
    `UPDATE device SET platform = 1, token = substr(lower(hex(token)), 1, 22) || ':APA91b' || lower(hex(token)) || ?`,
  )
  database.transact(() => change.run(FILLING))
  database.statement('PRAGMA wal_checkpoint(TRUNCATE)').get()
}

function serviceAccount() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const credential = readServiceAccount(
    JSON.stringify({
      type: 'service_account',
      project_id: FCM_PROJECT,
      client_email: `bench@${FCM_PROJECT}.iam.gserviceaccount.com`,
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      private_key_id: '0'.repeat(40),
    }),
  )
  if (credential.kind === 'problem') throw new Error(credential.problem)
  return credential
}
