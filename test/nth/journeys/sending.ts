import { registerBatch } from '../../faults/stage/crowd.ts'
import { servedJourney } from './served/served.ts'

export const SENDING = servedJourney({
  name: 'sending',
  what: 'a service starts, and takes devices and pushes',
  ready: false,
  stepsOf: ({ api, ledger, pushes, registrations: { register, tag, rename, sound }, settle }) => [
    { go: () => register(0) },
    { go: () => register(1) },
    { go: async () => sound[0] && (await tag(sound[0], 0)) },
    { go: async () => sound[0] && (await rename(sound[0], 1)) },
    { go: () => registerBatch({ api, ledger }, 1, ['batch-1', 'batch-2'], ['batch']) },
    { go: () => pushes.toAll({ badge: true }) },
    { go: settle },
    { go: () => pushes.toOne(0) },
    { go: settle },
  ],
})
