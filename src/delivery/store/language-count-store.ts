import type { Database } from '../../database/database.ts'
import type { Platform } from '../../device/device.ts'
import type { DeliveryKey, StoredSettlement } from './open-delivery.ts'

/** Counts by language what a gateway has taken of deliveries with several texts. Runs in transactions of the caller. */
export function createLanguageCounts({ database }: { database: Pick<Database, 'statement'> }) {
  const add = database.statement<never, [push: number, Platform, language: string, accepted: number]>(
    `INSERT INTO delivery_language (push, platform, language, accepted) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET accepted = accepted + excluded.accepted`,
  )
  return {
    add({ push, platform }: DeliveryKey, acceptedIn: StoredSettlement['acceptedIn']): void {
      for (const [language, accepted] of acceptedIn) add.run(push, platform, language, accepted)
    },
  }
}
