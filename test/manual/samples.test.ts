import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { SamplesAnswer } from '../../src/admin/api-types/sample-types.ts'
import { filledIn } from '../../src/dashboard/client/samples.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'
import { createAdminCaller } from '../admin/admin-caller.ts'

let service: Service
let answer: SamplesAnswer
beforeAll(async () => {
  service = await startService()
  answer = (await createAdminCaller(service)('GET', '/api/samples')).body
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
})

const samplesFor = (url: string, application: string) => filledIn(answer, { url, application })

test('the dashboard shows the code of the manual for each kind of app, with nothing left to fill in', () => {
  const samples = samplesFor('https://push.shop.test', 'app_123')
  expect(samples.map(({ title, code }) => [title, code.length])).toEqual([
    ['iOS', 3],
    ['Android', 3],
    ['Web', 2],
    ['Expo', 4],
    ['Flutter', 2],
  ])
  const text = JSON.stringify(samples)
  expect(text).not.toMatch(/example\.com\/|app_…|…/)
  for (const { title, code } of samples) {
    expect([title, code.join('\n').includes('https://push.shop.test')]).toEqual([title, true])
    expect([title, code.join('\n').includes('app_123')]).toEqual([title, true])
  }
})

test('each app asks for leave, registers its token, registers a changed one, and reports what was opened', () => {
  const says: Readonly<Record<string, readonly RegExp[]>> = {
    iOS: [/askPermission/, /bellhop client swift/, /Bellhop\.start\(/, /Bellhop\.onOpen/, /BellhopNotificationService/],
    Android: [/POST_NOTIFICATIONS/, /bellhop client kotlin/, /Bellhop\.start\(/, /Bellhop\.onOpen/],
    Web: [/register\(/, /worker\.js/],
    Expo: [/bellhop client expo/, /app\.plugin\.js/, /register\(\{ ask: true/, /onOpen/],
    Flutter: [/requestPermission/, /bellhop client flutter/, /Bellhop\.start\(/, /FirebasePush\(\)/, /Bellhop\.onOpen/],
  }
  for (const { title, code } of samplesFor('https://push.shop.test', 'app_123')) {
    const missing = (says[title] ?? [/^never$/]).filter((one) => !one.test(code.join('\n')))
    expect({ title, missing }).toEqual({ title, missing: [] })
  }
})
