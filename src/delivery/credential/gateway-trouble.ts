import type { Platform } from '../../device/device.ts'
import type { Provider } from '../../gateway/gateway.ts'
import type { Log } from '../../log.ts'

/** Trouble on the way to the gateway of one credential, as the log is told of it: once of each, and once of its end. */
export class GatewayTrouble {
  readonly #log: Pick<Log, 'info' | 'warn'>
  readonly #name: { readonly application: number; readonly platform: Platform }
  #isTold = false

  constructor(log: Pick<Log, 'info' | 'warn'>, application: number, platform: Platform) {
    this.#log = log
    this.#name = { application, platform }
  }

  /** Tells of what has changed; whether there is trouble. */
  report(provider: Pick<Provider, 'trouble'> | null): boolean {
    const reason = provider?.trouble ?? null
    const isThere = reason !== null
    if (isThere !== this.#isTold) {
      this.#isTold = isThere
      if (isThere) this.#log.warn('trouble with the gateway', { ...this.#name, reason })
      else this.#log.info('no more trouble with the gateway', this.#name)
    }
    return isThere
  }
}
