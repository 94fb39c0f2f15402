import type { Clock } from '../../clock.ts'
import { networkOf, SITE_SHARE, siteOf } from '../../network/address.ts'
import { createBucketTable } from '../../usage/bucket-table.ts'
import { fullBucket, returnToken, secondsToToken, takeToken } from '../../usage/token-bucket.ts'
import type { TokenBucket } from '../../usage/token-bucket.ts'
import type { AdministratorStore } from '../administrator-store.ts'
import type { Administrator } from '../administrator.ts'
import type { Passwords } from '../password.ts'
import type { KnownBrowsers } from './known-browsers.ts'

/** Wrong passwords: `burst` in a row, `rate` new ones per second. */
interface Allowance {
  readonly burst: number
  readonly rate: number
}

const NETWORK: Allowance = { burst: 10, rate: 1 / 30 }
const SITE: Allowance = { burst: NETWORK.burst * SITE_SHARE, rate: NETWORK.rate * SITE_SHARE }
const NAME: Allowance = { burst: 20, rate: 1 / 30 }
const BROWSER: Allowance = NETWORK

/** All unknown browsers together: a check costs 30 to 60 ms of a core. */
const EVERYBODY: Allowance = { burst: 200, rate: 1 }

const CAPACITY = 20_000

export type SignInOutcome =
  | { readonly kind: 'signed-in'; readonly administrator: Administrator }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'busy' }

export interface SignInTry {
  readonly name: string
  readonly password: string
  readonly address: string
  readonly browser: string | null
}

interface Dependencies {
  readonly clock: Pick<Clock, 'now'>
  readonly administrators: Pick<AdministratorStore, 'find' | 'hashOf'>
  readonly passwords: Pick<Passwords, 'matches'>
  readonly browsers: Pick<KnownBrowsers, 'idIn'>
}

/**
 * Limits guessing by network, by name, and in total; a known browser has its own limit. Under attack, unknown browsers
 * may need a link (`bellhop admin link`).
 */
export function createSignIn({ clock, administrators, passwords, browsers }: Dependencies) {
  // Separate tables: strangers cannot push known browsers out.
  const strangers = createBucketTable(CAPACITY)
  const known = createBucketTable(CAPACITY)
  const everybody = fullBucket(EVERYBODY.burst, clock.now())

  function bucketsOf({ name, address, browser }: SignInTry, hash: string | null, now: number) {
    const id = browser === null || hash === null ? null : browsers.idIn(browser, hash)
    if (id !== null) return [[known.bucket(id, BROWSER.burst, now), BROWSER]] as const
    const of = (key: string, allowance: Allowance) => [strangers.bucket(key, allowance.burst, now), allowance] as const
    const site = siteOf(address)
    return [
      of(`network ${networkOf(address)}`, NETWORK),
      ...(site === null ? [] : [of(`site ${site}`, SITE)]),
      of(`name ${name.toLowerCase()}`, NAME),
      [everybody, EVERYBODY] as const,
    ]
  }

  return async (given: SignInTry): Promise<SignInOutcome> => {
    const now = clock.now()
    const { name, password } = given
    const hash = administrators.hashOf(name)
    const taken: TokenBucket[] = []
    const giveBack = () => taken.forEach(returnToken)
    for (const [bucket, { burst, rate }] of bucketsOf(given, hash, now)) {
      if (!takeToken(bucket, rate, burst, now)) {
        giveBack()
        return { kind: 'wait', seconds: secondsToToken(bucket, rate) }
      }
      taken.push(bucket)
    }

    const matches = await passwords.matches(password, hash)
    // Only wrong passwords count.
    if (matches !== false) giveBack()
    if (matches === null) return { kind: 'busy' }
    const administrator = matches ? administrators.find(name) : null
    return administrator === null ? { kind: 'wrong' } : { kind: 'signed-in', administrator }
  }
}
