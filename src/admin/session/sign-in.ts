import type { Clock } from '../../clock.ts'
import { networkOf } from '../../network/address.ts'
import { createBucketTable } from '../../usage/bucket-table.ts'
import { returnToken, secondsToToken, takeToken } from '../../usage/token-bucket.ts'
import type { AdministratorStore } from '../administrator-store.ts'
import type { Administrator } from '../administrator.ts'
import type { Passwords } from '../password.ts'

/** Wrong passwords in a row: of one network, and for one name from wherever. */
const BURSTS = { network: 10, name: 20 } as const

/** Tries a second that come back: one in half a minute. */
const RATE = 1 / 30

/** Networks, and names, that are remembered. */
const CAPACITY = 10_000

export type SignInOutcome =
  | { readonly kind: 'signed-in'; readonly administrator: Administrator }
  /** Which of name and password is wrong is not said. */
  | { readonly kind: 'wrong' }
  | { readonly kind: 'wait'; readonly seconds: number }

interface Dependencies {
  readonly clock: Pick<Clock, 'now'>
  readonly administrators: Pick<AdministratorStore, 'find' | 'hashOf'>
  readonly passwords: Pick<Passwords, 'matches'>
}

/**
 * Signs in by name and password. Who guesses is slowed down by network and by name: whoever guesses at a name keeps its
 * administrator out for as long as well, who then takes a link (`bellhop admin link`).
 */
export function createSignIn({ clock, administrators, passwords }: Dependencies) {
  const networks = createBucketTable(CAPACITY)
  const names = createBucketTable(CAPACITY)

  return async (name: string, password: string, address: string): Promise<SignInOutcome> => {
    const now = clock.now()
    const network = networks.bucket(networkOf(address), BURSTS.network, now)
    if (!takeToken(network, RATE, BURSTS.network, now)) return { kind: 'wait', seconds: secondsToToken(network, RATE) }
    const named = names.bucket(name.toLowerCase(), BURSTS.name, now)
    if (!takeToken(named, RATE, BURSTS.name, now)) return { kind: 'wait', seconds: secondsToToken(named, RATE) }

    const matches = await passwords.matches(password, administrators.hashOf(name))
    const administrator = matches ? administrators.find(name) : null
    if (administrator === null) return { kind: 'wrong' }
    // Only failures count.
    returnToken(network)
    returnToken(named)
    return { kind: 'signed-in', administrator }
  }
}
