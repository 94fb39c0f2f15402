import { beforeEach, describe, expect, test } from 'bun:test'
import { HostAddresses } from '../../../src/gateway/webpush/host-addresses.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import type { FakeClock } from '../../support/fake-clock.ts'

const LATER = 'its address is being looked up'
const apple = (name: string | number) => new URL(`https://${name}.push.apple.com/1`)
const edge = (name: string) => new URL(`https://${name}.notify.windows.com/w/`)

let clock: FakeClock
let asked: string[]
let pending: Map<string, (addresses: readonly string[]) => void>
let hosts: HostAddresses
beforeEach(() => {
  clock = createFakeClock()
  asked = []
  pending = new Map()
  hosts = new HostAddresses((host) => {
    asked.push(host)
    return new Promise((resolve) => pending.set(host, resolve))
  }, clock)
})

/** A resolver answers, and whoever waits for it is told. */
async function answer(host: string, addresses: readonly string[] = ['17.1.1.1']): Promise<void> {
  pending.get(host)?.(addresses)
  await settle()
}

async function settle(): Promise<void> {
  for (let n = 0; n < 20; n++) await Promise.resolve()
}

describe('hosts that anybody can make up', () => {
  test('are looked up four at a time, for five seconds each, and nobody waits for more than one', async () => {
    const first = [0, 1, 2, 3].map((n) => hosts.refusal(apple(n)))
    expect(hosts.refusal(apple(4))).toBe(LATER)
    expect(asked).toHaveLength(4)
    clock.advance(1000)
    for (const refusal of first) expect(await refusal).toBe(LATER)
    // The resolver is slow, as is known by now.
    expect(hosts.refusal(apple(0))).toBe(LATER)
    clock.advance(4000)
    await settle()
    expect(hosts.refusal(apple(0))).toBe('no address')
    // The one that was asked for meanwhile is looked up by itself.
    expect(asked.slice(4)).toEqual(['4.push.apple.com'])
  })

  test('are looked up in the order of how many ask for them', async () => {
    for (let n = 0; n < 1500; n++) void hosts.refusal(apple(n))
    for (let n = 0; n < 50; n++) expect(hosts.refusal(apple('eu-west'))).toBe(LATER)
    clock.advance(5000)
    await settle()
    expect(asked[4]).toBe('eu-west.push.apple.com')
    await answer('eu-west.push.apple.com')
    expect(hosts.refusal(apple('eu-west'))).toBeNull()
    // And so on, four at a time.
    expect(asked.length).toBeLessThanOrEqual(9)
  })

  test('hold up neither the hosts that everybody knows, nor those of another push service', async () => {
    for (let n = 0; n < 1500; n++) void hosts.refusal(apple(n))
    const known = hosts.refusal(apple('web'))
    const other = hosts.refusal(edge('wns2-par02p'))
    expect(asked.slice(4)).toEqual(['web.push.apple.com', 'wns2-par02p.notify.windows.com'])
    await answer('web.push.apple.com')
    await answer('wns2-par02p.notify.windows.com')
    expect([await known, await other]).toEqual([null, null])
  })

  test('are waited for again once the resolver is quick', async () => {
    void hosts.refusal(apple('slow'))
    clock.advance(1000)
    await settle()
    expect(hosts.refusal(apple('quick'))).toBe(LATER)
    await answer('quick.push.apple.com')
    expect(hosts.refusal(apple('quick'))).toBeNull()
    const next = hosts.refusal(apple('next'))
    await answer('next.push.apple.com')
    expect(await next).toBeNull()
  })

  test('that have no address are asked for again after half a minute', async () => {
    const none = hosts.refusal(apple('none'))
    await answer('none.push.apple.com', [])
    expect(await none).toBe('no address')
    clock.advance(29_999)
    expect(hosts.refusal(apple('none'))).toBe('no address')
    expect(asked).toHaveLength(1)
    clock.advance(1)
    void hosts.refusal(apple('none'))
    expect(asked).toHaveLength(2)
  })
})

test('a host that everybody knows is looked up once however many ask, and not again for five minutes', async () => {
  const both = [hosts.refusal(apple('web')), hosts.refusal(apple('web'))]
  await answer('web.push.apple.com')
  for (const refusal of both) expect(await refusal).toBeNull()
  clock.advance(5 * 60_000 - 1)
  expect(hosts.refusal(apple('web'))).toBeNull()
  expect(asked).toHaveLength(1)
  clock.advance(1)
  const again = hosts.refusal(apple('web'))
  await answer('web.push.apple.com', ['17.1.1.1', '10.0.0.1'])
  expect(await again).toBe('private address')
})
