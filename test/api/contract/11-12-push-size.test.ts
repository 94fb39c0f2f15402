import { describe, expect, test } from 'bun:test'
import { fileService } from '../../support/file-service.ts'
import { arrivalsOf } from '../../support/arrivals.ts'
import { newPushTarget, PUSH_PATHS } from '../../support/push-target.ts'
import { expectFailure } from '../../support/refusals.ts'

const QUIET = { msg: 'x', sound: '', badge: '' }
const TOO_LARGE = /^msg, sound and payload are too large: (\d+) bytes for (APNs|FCM); at most 4096 are allowed\.$/

/** Of the id of the push, which goes along. */
const ID_BYTES = ',"bellhop":{"push":"00000000-0000-7000-8000-000000000000"}'.length

const service = await fileService()
const target = newPushTarget(service)

/** Pushes that grow by a byte with each byte of `text`. */
const GROWING: Readonly<Record<string, (text: string) => object>> = {
  msg: (text) => ({ ...QUIET, msg: text }),
  'msg in bytes, not characters': (text) => ({ ...QUIET, msg: 'é'.repeat(1500) + text.slice(3000) }),
  payload: (text) => ({ ...QUIET, payload: { text } }),
  sound: (text) => ({ ...QUIET, sound: text }),
}

for (const path of PUSH_PATHS) {
  for (const [platform, gateway] of [
    ['0', 'APNs'],
    ['1', 'FCM'],
  ] as const) {
    describe(`a push of ${path} of 4096 bytes, as ${gateway} gets it, is taken and arrives, one of 4097 is refused:`, () => {
      for (const [what, contentOf] of Object.entries(GROWING)) {
        test(what, async () => {
          const device = await target.newDevice(platform)
          const push = (bytes: number) => target.push(path, device, contentOf('x'.repeat(bytes)))
          const { status, body } = await push(5000)
          const [, size, named] = TOO_LARGE.exec(body.message) ?? []
          expect({ status, code: body.code, named }).toEqual({ status: 400, code: 'InvalidArgument', named: gateway })
          const most = 5000 - (Number(size) - 4096)
          const refusal = `msg, sound and payload are too large: 4097 bytes for ${gateway}; at most 4096 are allowed.`
          expectFailure(await push(most + 1), 400, 'InvalidArgument', refusal)
          await target.arrivalAt(path, device, contentOf('x'.repeat(most)))
        })
      }
    })
  }
}

test('a relative badge is counted as the largest it can become', async () => {
  const device = await target.newDevice('0')
  const msg = 'x'.repeat(4096 - '{"aps":{"alert":"","badge":2147483647}}'.length - ID_BYTES)
  const refusal = 'msg, sound and payload are too large: 4097 bytes for APNs; at most 4096 are allowed.'
  const tooLarge = await target.push('/push/one', device, { ...QUIET, msg: `${msg}x`, badge: '+1' })
  expectFailure(tooLarge, 400, 'InvalidArgument', refusal)
  const { body } = await target.arrivalAt('/push/one', device, { ...QUIET, msg, badge: '+1' })
  expect(body).toEqual({ aps: { alert: msg, badge: 1 } })
})

test('where the id of the push does not go along, its bytes are free', async () => {
  const application = service.addApplication('without ids', { pushId: false })
  const device = { token: 'ab'.repeat(32), platform: '0' }
  await service.put('/deviceToken', device, { application })
  const push = (msg: string) => service.post('/push/one', { ...device, ...QUIET, msg }, { application })
  const msg = 'x'.repeat(4096 - '{"aps":{"alert":""}}'.length)
  const refusal = 'msg, sound and payload are too large: 4097 bytes for APNs; at most 4096 are allowed.'
  expectFailure(await push(`${msg}x`), 400, 'InvalidArgument', refusal)
  const { status, body } = await push(msg)
  expect(status).toBe(200)
  const [arrival] = await arrivalsOf(service, body.id)
  expect(arrival?.body).toEqual({ aps: { alert: msg } })
})

test('a push to both platforms gives the size for each, also where only one is too large', async () => {
  const count = service.database.reading<object, []>('SELECT count(*) FROM push')
  const before = count.get()
  const toBoth = (bytes: number) =>
    target.caller.post('/push/all', { platform: [0, 1], except_tags: [], msg: 'x'.repeat(bytes) })
  const aps = '{"aps":{"alert":""}}'.length + ID_BYTES
  const inOne = await toBoth(4096 - aps)
  const [, fcm] = /4096 bytes for APNs, (\d+) bytes for FCM;/.exec(inOne.body.message) ?? []
  const sizes = (more: number) => `${4096 + more} bytes for APNs, ${Number(fcm) + more} bytes for FCM`
  for (const more of [0, 5]) {
    const refusal = `msg, sound and payload are too large: ${sizes(more)}; at most 4096 are allowed.`
    expectFailure(await toBoth(4096 - aps + more), 400, 'InvalidArgument', refusal)
  }
  expect(count.get()).toEqual(before)
})

test('a payload nested as deep as a body allows is refused, and the service goes on', async () => {
  const depth = 40_000
  const body = `{"platform":"0","token":"a","msg":"x","sound":"","badge":"","payload":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`
  const answer = await target.caller.post('/push/one', body)
  expectFailure(answer, 400, 'InvalidContent', 'The body is nested 40000 levels deep: at most 64 are allowed.')
  const device = await target.newDevice('0')
  await target.arrivalAt('/push/one', device, QUIET)
})
