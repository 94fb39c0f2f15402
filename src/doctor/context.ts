import type { Bucket } from '../backup/bucket.ts'
import type { BackupWatch } from '../backup/watch.ts'
import type { Clock } from '../clock.ts'
import type { Problem } from '../failure.ts'
import type { Config } from '../settings/parse.ts'
import type { ReadFile } from '../system/read-file.ts'

/** Those that doctor reads. */
export const DOCTOR_SETTINGS = [
  'data',
  'listen',
  'adminListen',
  'apnsUrl',
  'apnsSandboxUrl',
  'fcmUrl',
  'fcmTokenUrl',
  'pushServices',
  'gatewayCa',
  'proxy',
  'transport',
  'key',
  'tlsCert',
  'tlsKey',
  'backup',
  'backupEvery',
  'backupVerify',
] as const satisfies (keyof Config)[]

export type DoctorConfig = Pick<Config, (typeof DOCTOR_SETTINGS)[number]>

export interface DoctorContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly readFile: ReadFile
  readonly clock: Clock
  /** Monotonic ms. */
  readonly stopwatch: () => number
  readonly watch: Pick<BackupWatch, 'during'>
  /** A problem: credentials are missing. */
  readonly openBucket: (name: string) => Bucket | Problem
}
