import { join } from 'node:path'
import type { Clock } from '../../src/clock.ts'
import { startSimulator } from '../../src/gateway/simulator/simulator.ts'
import type { Simulator } from '../../src/gateway/simulator/simulator.ts'
import type { Config } from '../../src/settings/parse.ts'
import { sharedKeys } from './rsa-keys.ts'
import { temporaryDirectory } from './temporary-directory.ts'

/** Gateways that a service reaches as it does Apple's and Google's: by address, with a credential of its own. */
export interface OutsideGateways extends AsyncDisposable {
  readonly simulator: Simulator
  /** What has a service send there. */
  readonly config: Partial<Config> & { readonly gatewayCa: string }
}

/** `clock` is the gateways' own. */
export async function startOutsideGateways(clock: Clock): Promise<OutsideGateways> {
  const directory = temporaryDirectory('bellhop-gateways')
  const gatewayCa = join(directory.path, 'ca.pem')
  const simulator = await startSimulator({ clock, rsaKeys: sharedKeys })
  await Bun.write(gatewayCa, simulator.ca)
  const { apnsUrl, apnsSandboxUrl, fcmUrl, fcmTokenUrl } = simulator
  return {
    simulator,
    config: { apnsUrl, apnsSandboxUrl, fcmUrl, fcmTokenUrl, gatewayCa },
    async [Symbol.asyncDispose]() {
      await simulator[Symbol.asyncDispose]()
      directory[Symbol.dispose]()
    },
  }
}
