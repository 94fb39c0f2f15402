import type { Api } from './api.ts'
import { chance, pick } from './chance.ts'
import type { Ledger } from './ledger.ts'
import { registrationsOf } from './registrations.ts'
import type { Registrations } from './registrations.ts'

/** Between two calls, in ms. */
const PAUSE_MS = 40

/** Registers, tags and renames devices, one call after the other, whatever else happens. */
export interface Registrar extends Pick<Registrations, 'counts'> {
  stop(): Promise<void>
}

export function startRegistrar(api: Api, ledger: Ledger, seed: number): Registrar {
  const { counts, sound, register, tag, rename } = registrationsOf(api, ledger, seed)
  const stop = new AbortController()

  async function run(): Promise<void> {
    for (let turn = 0; !stop.signal.aborted; turn++) {
      await Bun.sleep(PAUSE_MS)
      if (!api.reachable) continue
      const at = chance(seed, 'registrar', turn)
      if (at < 0.4 || sound.length === 0) await register(turn)
      else await (at < 0.7 ? tag : rename)(pick(sound, chance(seed, 'whom', turn)), turn)
    }
  }
  const running = run()
  return {
    counts,
    async stop() {
      stop.abort()
      await running
    },
  }
}
