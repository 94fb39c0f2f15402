import { servedJourney } from './served/served.ts'

/** What a start does after a stop, `sending` begins with. */
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
