import { registerBatch } from '../../faults/stage/crowd.ts'
import { servedJourney } from './served.ts'

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

/** `sending` covers the start after a stop. */
export const STOPPING = servedJourney({
  name: 'stopping',
  what: 'a service that sends is stopped',
  ready: true,
  stepsOf: ({ pushes, service }) => [
    { go: () => pushes.toTag('few') },
    { ofProcesses: true, go: () => service.stop() },
  ],
})

export const DYING = servedJourney({
  name: 'dying',
  what: 'a service that sends is killed, and starts again',
  ready: true,
  stepsOf: ({ pushes, service, settle }) => [
    { go: () => pushes.toAll() },
    { ofProcesses: true, go: () => service.kill() },
    { go: () => pushes.toOne(1) },
    { go: settle },
  ],
})
