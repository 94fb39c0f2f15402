import { describe, expect, test } from 'bun:test'
import { createECDH } from 'node:crypto'
import { createKeyAgreement } from '../../../src/gateway/webpush/key-agreement.ts'
import type { Agreement, KeyAgreement } from '../../../src/gateway/webpush/key-agreement.ts'

const NO_POINT = Buffer.concat([Buffer.from([4]), Buffer.alloc(64)])

function browsers(count: number) {
  return Array.from({ length: count }, () => {
    const pair = createECDH('prime256v1')
    return { point: pair.generateKeys(), secretWith: (sender: Uint8Array) => pair.computeSecret(sender) }
  })
}

const agreed = (keyAgreement: KeyAgreement, receiver: Uint8Array) =>
  new Promise<Agreement | null>((resolve) => keyAgreement.agree(receiver, resolve))

async function expectAgreements(keyAgreement: KeyAgreement, count: number): Promise<void> {
  const receivers = browsers(count)
  const agreements = await Promise.all(receivers.map(({ point }) => agreed(keyAgreement, point)))
  receivers.forEach(({ secretWith }, n) => {
    const one = agreements[n]
    if (one === undefined || one === null) throw new Error(`none with ${n}`)
    expect(Buffer.from(one.secret)).toEqual(secretWith(one.publicKey))
  })
  expect(new Set(agreements.map((one) => Buffer.from(one?.publicKey ?? []).toString('hex'))).size).toBe(count)
}

describe.each([1, 2])('with %p processors, an agreement', (processors) => {
  test.each([1, 8, 9, 1000])(
    'is the receiver’s own, with another key pair each time, for %p at once',
    async (count) => {
      using keyAgreement = createKeyAgreement({ processors })
      await expectAgreements(keyAgreement, count)
      await expectAgreements(keyAgreement, count)
    },
  )

  test('is none with what is no point of the curve, and the others get theirs', async () => {
    using keyAgreement = createKeyAgreement({ processors })
    const receivers = browsers(40).map(({ point }, n) => (n % 4 === 1 ? NO_POINT : point))
    const agreements = await Promise.all(receivers.map((point) => agreed(keyAgreement, point)))
    expect(agreements.map((one) => one === null)).toEqual(receivers.map((point) => point === NO_POINT))
  })

  test('comes though all is closed meanwhile', async () => {
    const keyAgreement = createKeyAgreement({ processors })
    const waiting = expectAgreements(keyAgreement, 100)
    await Promise.resolve()
    keyAgreement[Symbol.dispose]()
    await waiting
    await expectAgreements(keyAgreement, 10)
  })
})

test('Without the thread’s program, everything is agreed on here', async () => {
  using keyAgreement = createKeyAgreement({ processors: 2, program: `${import.meta.dir}/nowhere.ts` })
  await expectAgreements(keyAgreement, 100)
  await expectAgreements(keyAgreement, 100)
})
