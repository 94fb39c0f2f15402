import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { createColumnStore } from './column-store.ts'
import { createFeedbackWriter } from './feedback-store.ts'
import { createGrowth } from './growth.ts'
import { createAliasIndex } from './index/alias-index.ts'
import { createLabelIndex } from './index/label-index.ts'
import { createLeftDeviceStore } from './left-device-store.ts'
import { createAdoptionStore } from './registration/adoption-store.ts'
import { createDeviceLookup } from './registration/device-lookup-store.ts'
import { createRegistrySizeStore } from './registry-size-store.ts'
import { createDeviceKeyStore } from './webpush/device-key-store.ts'

export interface RegistryData {
  readonly database: Pick<Database, 'statement' | 'reading' | 'version'>
  readonly clock: Clock
}

export type Registry = ReturnType<typeof createRegistry>

export function createRegistry({ database, clock }: RegistryData) {
  const labels = createLabelIndex({ database })
  const sizes = createRegistrySizeStore({ database })
  const leftDevices = createLeftDeviceStore({ database })
  return {
    database,
    clock,
    labels,
    sizes,
    leftDevices,
    growth: createGrowth({ labels, sizes }),
    aliases: createAliasIndex({ database, clock, leftDevices }),
    columns: createColumnStore({ database, clock }),
    keys: createDeviceKeyStore({ database }),
    lookup: createDeviceLookup({ database }),
    adoptions: createAdoptionStore({ database }),
    feedback: createFeedbackWriter({ database }),
  }
}
