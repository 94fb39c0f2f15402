import { describe, expect, test } from 'bun:test'
import type { Arrival } from '../gateways/arrival.ts'
import type { KnownDevice } from '../stage/ledger.ts'
import { judge } from './judge.ts'
import type { Evidence } from './judge.ts'

/* A harness that misses what it looks for would report "0 lost" every time. */
const device = (token: string): KnownDevice => ({
  platform: 0,
  token,
  askedAt: 0,
  ackedAt: 10,
  tags: new Set(['even']),
  doubtfulTags: new Set(),
  aliases: [null],
})

const arrival = (token: string, changes: Partial<Arrival> = {}): Arrival => ({
  gateway: 'apns',
  token,
  collapse: 'id-1',
  apnsId: `apns-id-of-${token}`,
  text: 'push 1',
  badge: null,
  at: 1_000,
  life: 1,
  taken: true,
  answeredAt: 1_005,
  ...changes,
})

const listed = (token: string) => ({ platform: '0', token, tag: ['even'], alias: null, badge: 0 })

/** One correct push to the devices `a` and `b`. */
function evidence(changes: Partial<Evidence> = {}): Evidence {
  return {
    pushes: [
      {
        text: 'push 1',
        id: 'id-1',
        askedAt: 900,
        ackedAt: 950,
        must: new Set(['0/a', '0/b']),
        never: new Set(),
        refused: false,
        open: true,
      },
    ],
    fates: new Map(),
    devices: new Map([
      ['0/a', device('a')],
      ['0/b', device('b')],
    ]),
    arrivals: [arrival('a'), arrival('b', { at: 1_200 })],
    killedAt: new Map(),
    unwritten: new Set(),
    analytics: { t: 2, s: 2 },
    listed: [listed('a'), listed('b')],
    ...changes,
  }
}

const findingsOf = (changes: Partial<Evidence>) => judge(evidence(changes)).findings

describe('the judge of the fault harness', () => {
  test('finds nothing where everybody was reached once', () => {
    expect(judge(evidence())).toEqual({
      pushes: 1,
      notifications: 2,
      lost: 0,
      repeated: 0,
      repeatedMost: 0,
      longestDelayMs: 250,
      owed: 0,
      findings: [],
    })
  })

  test('counts a device as lost that no gateway took the push for, though it was sent', () => {
    const arrivals = [arrival('a'), arrival('b', { taken: false, answeredAt: null })]
    expect(judge(evidence({ arrivals, analytics: { t: 1, s: 1 } }))).toMatchObject({ lost: 1, findings: ['lost: 1'] })
  })

  test('misses nobody of a push that was not acknowledged', () => {
    const [push] = evidence().pushes
    if (push === undefined) throw new Error('there is one')
    const pushes = [{ ...push, id: null, ackedAt: null }]
    expect(findingsOf({ pushes, arrivals: [arrival('a')], analytics: { t: 1, s: 1 } })).toEqual([])
  })

  test('allows a repeat where the answer was lost, and counts it', () => {
    const arrivals = [arrival('a', { answeredAt: null }), arrival('a', { at: 3_000 }), arrival('b')]
    expect(judge(evidence({ arrivals }))).toMatchObject({ notifications: 2, repeated: 1, findings: [] })
  })

  test('allows no repeat where the answer came, nor after a kill long since', () => {
    const again = [arrival('a'), arrival('a', { at: 3_000, life: 2 }), arrival('b')]
    const needless = 'sent again although the answer had come: 1'
    expect(findingsOf({ arrivals: again })).toEqual([needless])
    expect(findingsOf({ arrivals: again, killedAt: new Map([[1, 2_000]]) })).toEqual([])
    expect(findingsOf({ arrivals: again, killedAt: new Map([[1, 9_000]]) })).toEqual([needless])
  })

  test('wants each repeat under the same apns-id, collapse id and badge', () => {
    const first = arrival('a', { answeredAt: null })
    const again = (changes: Partial<Arrival>) =>
      findingsOf({ arrivals: [first, arrival('a', { at: 3_000, ...changes }), arrival('b')] })
    expect(again({ apnsId: 'another' })).toEqual(['under more than one apns-id: 1'])
    expect(again({ collapse: 'id-2' })).toEqual([
      'under more than one collapse id or tag: 1',
      'under the collapse id or tag of another push: 1',
    ])
    expect(again({ badge: 2 })).toEqual(['with more than one badge: 1', 'badges wrong: 1'])
  })

  test('wants an apns-id of its own for each notification', () => {
    const arrivals = [arrival('a'), arrival('b', { apnsId: 'apns-id-of-a' })]
    expect(findingsOf({ arrivals })).toEqual(['apns-ids of more than one notification: 1'])
  })

  test('holds the counters against what the gateways took', () => {
    expect(findingsOf({ analytics: { t: 2, s: 3 } })).toEqual(['t is 2 and s is 3, and the gateways took 2'])
    expect(findingsOf({ analytics: null })).toEqual(['analytics were not answered'])
  })

  describe('where a gateway takes nothing for one device', () => {
    const [push] = evidence().pushes
    if (push === undefined) throw new Error('there is one')
    const pushes = [{ ...push, must: new Set(['0/a']), never: new Set(['0/b']) }]
    const refused = arrival('b', { taken: false })

    test('it stands in t alone while it waits', () => {
      const waits = { pushes, fates: new Map([['0/b', 'waits'] as const]), arrivals: [arrival('a'), refused] }
      expect(judge(evidence({ ...waits, analytics: { t: 2, s: 1 } }))).toMatchObject({ owed: 1, findings: [] })
      expect(findingsOf({ ...waits, analytics: { t: 1, s: 1 } })).toEqual([
        't is 1 and s is 1, and the gateways took 1 of 2',
      ])
      expect(findingsOf({ ...waits, analytics: { t: 2, s: 1 }, listed: [listed('a')] })).toEqual(['devices missing: 1'])
    })

    test('it leaves the registry with the first push that it was refused', () => {
      const leaves = { pushes, fates: new Map([['0/b', 'leaves'] as const]), arrivals: [arrival('a'), refused] }
      expect(findingsOf({ ...leaves, analytics: { t: 2, s: 1 }, listed: [listed('a')] })).toEqual([])
      expect(findingsOf({ ...leaves, analytics: { t: 2, s: 1 } })).toEqual(['devices that should have left: 1'])
      const unmet = { ...leaves, arrivals: [arrival('a')], analytics: { t: 1, s: 1 } }
      expect(judge(evidence(unmet))).toMatchObject({ owed: 0, findings: [] })
    })
  })

  test('wants nothing sent of a push that was refused', () => {
    const [push] = evidence().pushes
    if (push === undefined) throw new Error('there is one')
    const pushes = [{ ...push, id: null, ackedAt: null, refused: true }]
    expect(findingsOf({ pushes })).toEqual(['sent although it was refused: 1'])
  })

  test('sees who was not addressed', () => {
    const devices = new Map([...evidence().devices, ['0/c', { ...device('c'), askedAt: 951, ackedAt: 960 }] as const])
    expect(
      findingsOf({
        devices,
        arrivals: [...evidence().arrivals, arrival('c')],
        analytics: { t: 3, s: 3 },
        listed: [listed('a'), listed('b'), listed('c')],
      }),
    ).toEqual(['sent to somebody who was not addressed: 1'])
  })

  test('misses no acknowledged device, tag or alias', () => {
    const list = (changes: object) => findingsOf({ listed: [{ ...listed('a'), ...changes }, listed('b')] })
    expect(findingsOf({ listed: [listed('a')] })).toEqual(['devices missing: 1'])
    expect(list({ tag: [] })).toEqual(['tags missing: 1'])
    expect(list({ tag: ['even', 'more'] })).toEqual(['tags too many: 1'])
    expect(list({ alias: 'nobody asked' })).toEqual(['aliases wrong: 1'])
    expect(list({ badge: 1 })).toEqual(['badges wrong: 1'])
    expect(findingsOf({ listed: [listed('a'), listed('a'), listed('b')] })).toEqual(['devices listed twice: 1'])
    expect(findingsOf({ listed: [listed('a'), listed('b'), listed('z')] })).toEqual(['devices nobody registered: 1'])
  })

  test('lets a device be either way whose registration was not answered', () => {
    const doubtful = { ...device('c'), ackedAt: null, tags: new Set<string>(), doubtfulTags: new Set(['even']) }
    const devices = new Map([...evidence().devices, ['0/c', doubtful] as const])
    expect(findingsOf({ devices })).toEqual([])
    expect(findingsOf({ devices, listed: [listed('a'), listed('b'), listed('c')] })).toEqual([])
  })
})
