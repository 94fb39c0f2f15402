import { PLATFORM_OF } from '../gateways/arrival.ts'
import type { Arrival } from '../gateways/arrival.ts'
import { keyOf } from '../stage/ledger.ts'
import type { Fate, KnownDevice, KnownPush, Platform } from '../stage/ledger.ts'
import type { ListedDevice } from '../stage/api.ts'

/**
 * A kill -9 this much after an answer, in ms, must not repeat it: its page is stored. See `STRAGGLER_MS` in
 * src/delivery/open/batch.ts, plus a commit.
 */
const SETTLED_MS = 5_000

/** Of one push and platform: `MAX_UNWRITTEN` of src/delivery/open/batch-line.ts. */
const UNWRITTEN_MOST = 16 * 500

/** The results of a scenario. */
export interface Evidence {
  readonly pushes: readonly KnownPush[]
  readonly devices: ReadonlyMap<string, KnownDevice>
  /** Devices (`keyOf`) that their gateway refuses. */
  readonly fates: ReadonlyMap<string, Fate>
  readonly arrivals: readonly Arrival[]
  /** Lives whose last pages did not reach the disk: up to `UNWRITTEN_MOST` may be repeated. */
  readonly unwritten: ReadonlySet<number>
  /** Deaths of lives, in ms since the Unix epoch. */
  readonly killedAt: ReadonlyMap<number, number>
  /** GET /analytics; `null`: no answer. */
  readonly analytics: { readonly t: number; readonly s: number } | null
  /** GET /deviceToken/all; `null`: no answer. */
  readonly listed: readonly ListedDevice[] | null
}

export interface Judgement {
  readonly pushes: number
  /** Devices of each push that a gateway took, each counted once. */
  readonly notifications: number
  /** Devices of acknowledged pushes that no gateway took. */
  readonly lost: number
  /** Notifications taken more than once. */
  readonly repeated: number
  /** The most of one push on one platform. */
  readonly repeatedMost: number
  /** Longest time from the 2xx to the gateway, in ms. */
  readonly longestDelayMs: number
  /** Devices of acknowledged pushes that were tried and that their gateway refuses. */
  readonly owed: number
  /** Violations. */
  readonly findings: readonly string[]
}

interface Sending {
  readonly platform: Platform
  readonly token: string
  readonly arrivals: Arrival[]
}

/**
 * Compares what the gateways saw with what the service acknowledged. A notification is one device of one push. It is
 * *taken* when a gateway acts on it. If the answer was lost (reset, cut off, too late, or its process was killed before
 * storing it), its fate is unknown, and only then may it be taken again: `t` and `s` count it once. In the end t = s =
 * notifications, and the gateways took notifications + repeated. Refused devices count in t alone: they failed, or
 * wait.
 */
export function judge(evidence: Evidence): Judgement {
  const { pushes, arrivals, analytics } = evidence
  const findings: string[] = []
  const note = (what: string, count: number): void => void (count > 0 && findings.push(`${what}: ${count}`))

  const byText = new Map(pushes.map((push) => [push.text, push]))
  const sendings = new Map<string, Sending>()
  let strangers = 0
  for (const arrival of arrivals) {
    const platform = PLATFORM_OF[arrival.gateway]
    const push = byText.get(arrival.text ?? '')
    const device = evidence.devices.get(keyOf(platform, arrival.token))
    if (push === undefined || device === undefined || !mayReach(push, device)) strangers++
    const key = `${arrival.text}/${keyOf(platform, arrival.token)}`
    const sending = sendings.get(key)
    if (sending === undefined) sendings.set(key, { platform, token: arrival.token, arrivals: [arrival] })
    else sending.arrivals.push(arrival)
  }
  note('sent to somebody who was not addressed', strangers)
  const refused = new Set(pushes.flatMap((push) => (push.refused ? [push.text] : [])))
  note('sent although it was refused', new Set(arrivals.map(({ text }) => text ?? '')).intersection(refused).size)

  let lost = 0
  let owed = 0
  let longestDelayMs = 0
  for (const push of pushes) {
    if (push.ackedAt === null) continue
    for (const key of push.never) {
      if (evidence.fates.get(key) !== 'leaves' || sendings.has(`${push.text}/${key}`)) owed++
    }
    for (const key of push.must) {
      const taken = sendings.get(`${push.text}/${key}`)?.arrivals.find((arrival) => arrival.taken)
      if (taken === undefined) lost++
      else longestDelayMs = Math.max(longestDelayMs, taken.at - push.ackedAt)
    }
  }
  note('lost', lost)

  const all = [...sendings.values()]
  const taken = all.filter((sending) => sending.arrivals.some((arrival) => arrival.taken))
  const repeated = arrivals.filter((arrival) => arrival.taken).length - taken.length
  const needless = all.map((sending) => needlessRepeats(sending.arrivals, evidence))
  note('sent again although the answer had come', sum(needless))
  const again = Map.groupBy(all, ({ platform, arrivals: [first] }) => `${first?.text} of platform ${platform}`)
  let repeatedMost = 0
  for (const [which, sent] of again) {
    const repeats = sum(sent.map((one) => Math.max(one.arrivals.filter((arrival) => arrival.taken).length - 1, 0)))
    repeatedMost = Math.max(repeatedMost, repeats)
    if (evidence.unwritten.size > 0 && repeats > UNWRITTEN_MOST)
      findings.push(`repeated of ${which}, more than 16 pages of 500: ${repeats}`)
  }
  note('under more than one apns-id', all.filter((one) => distinct(one, 'apnsId') > 1).length)
  note('under more than one collapse id or tag', all.filter((one) => distinct(one, 'collapse') > 1).length)
  note('with more than one badge', all.filter((one) => distinct(one, 'badge') > 1).length)
  const strange = arrivals.filter(({ text, collapse }) => collapse !== (byText.get(text ?? '')?.id ?? collapse))
  note('under the collapse id or tag of another push', strange.length)
  note('apns-ids of more than one notification', sharedApnsIds(all))

  if (analytics === null) findings.push('analytics were not answered')
  else if (analytics.t !== taken.length + owed || analytics.s !== taken.length) {
    const besides = owed === 0 ? '' : ` of ${taken.length + owed}`
    findings.push(`t is ${analytics.t} and s is ${analytics.s}, and the gateways took ${taken.length}${besides}`)
  }
  findings.push(...judgeDevices(evidence, all))
  const notifications = taken.length
  return { pushes: pushes.length, notifications, lost, repeated, repeatedMost, longestDelayMs, owed, findings }
}

/** The judgement of all applications of a scenario. */
export function together(judgements: readonly Judgement[]): Judgement {
  const total = (field: 'pushes' | 'notifications' | 'lost' | 'repeated' | 'owed') =>
    sum(judgements.map((judgement) => judgement[field]))
  return {
    pushes: total('pushes'),
    notifications: total('notifications'),
    lost: total('lost'),
    repeated: total('repeated'),
    repeatedMost: Math.max(...judgements.map(({ repeatedMost }) => repeatedMost)),
    longestDelayMs: Math.max(...judgements.map(({ longestDelayMs }) => longestDelayMs)),
    owed: total('owed'),
    findings: judgements.flatMap(({ findings }) => findings),
  }
}

function mayReach({ must, never, open, ackedAt }: KnownPush, { platform, token, askedAt }: KnownDevice): boolean {
  const key = keyOf(platform, token)
  return must.has(key) || never.has(key) || (open && (ackedAt === null || askedAt <= ackedAt))
}

/** Repeats although the sender could know the outcome. */
function needlessRepeats(arrivals: readonly Arrival[], { killedAt, unwritten }: Evidence): number {
  let needless = 0
  for (const [at, again] of arrivals.entries()) {
    const known = arrivals.slice(0, at).some((before) => {
      if (!before.taken || before.answeredAt === null || before.answeredAt > again.at) return false
      if (before.life !== again.life && unwritten.has(before.life)) return false
      const killed = killedAt.get(before.life)
      if (before.life === again.life || killed === undefined) return true
      return killed - before.answeredAt > SETTLED_MS
    })
    if (known) needless++
  }
  return needless
}

function distinct({ arrivals }: Sending, field: 'apnsId' | 'collapse' | 'badge'): number {
  return new Set(arrivals.map((arrival) => arrival[field])).size
}

function sharedApnsIds(sendings: readonly Sending[]): number {
  const ids = sendings.filter(({ platform }) => platform === 0).map(({ arrivals }) => arrivals[0]?.apnsId)
  return ids.length - new Set(ids).size
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** Every acknowledged device must be listed. Its badge counts every push with a badge once. */
function judgeDevices({ devices, fates, listed }: Evidence, sendings: readonly Sending[]): readonly string[] {
  if (listed === null) return ['the devices were not listed']
  const findings: string[] = []
  const byKey = new Map(listed.map((one) => [keyOf(Number(one.platform) as Platform, one.token), one]))
  if (byKey.size < listed.length) findings.push(`devices listed twice: ${listed.length - byKey.size}`)
  const unknown = [...byKey.keys()].filter((key) => !devices.has(key)).length
  if (unknown > 0) findings.push(`devices nobody registered: ${unknown}`)

  const badges = new Map<string, number>()
  for (const { platform, token, arrivals } of sendings) {
    if (!arrivals.some(({ badge }) => badge !== null)) continue
    const key = keyOf(platform, token)
    badges.set(key, (badges.get(key) ?? 0) + 1)
  }
  const refused = new Set(sendings.map(({ platform, token }) => keyOf(platform, token)))
  const wrong = {
    'devices missing': 0,
    'devices that should have left': 0,
    'tags missing': 0,
    'tags too many': 0,
    'aliases wrong': 0,
    'badges wrong': 0,
  }
  for (const [key, device] of devices) {
    const found = byKey.get(key)
    if (fates.get(key) === 'leaves' && refused.has(key)) {
      if (found !== undefined) wrong['devices that should have left']++
      continue
    }
    if (found === undefined) {
      if (device.ackedAt !== null) wrong['devices missing']++
      continue
    }
    const tags = new Set(found.tag)
    if (!device.tags.isSubsetOf(tags)) wrong['tags missing']++
    if (!tags.isSubsetOf(device.tags.union(device.doubtfulTags))) wrong['tags too many']++
    if (!device.aliases.includes(found.alias)) wrong['aliases wrong']++
    if (found.badge !== (badges.get(key) ?? 0)) wrong['badges wrong']++
  }
  for (const [what, count] of Object.entries(wrong)) if (count > 0) findings.push(`${what}: ${count}`)
  return findings
}
