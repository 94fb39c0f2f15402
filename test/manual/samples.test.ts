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
<<<<<<< HEAD
    ['Expo', 1],
    ['Flutter', 2],
=======
    ['Expo', 4],
    ['Flutter', 1],
>>>>>>> 420e4264 (docs(manual): describe the Expo library, from nothing to an image)
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
<<<<<<< HEAD
    Expo: [/requestPermissionsAsync/, /getDevicePushTokenAsync/, /addPushTokenListener/, /ChannelAsync/, /'stats'/],
    Flutter: [/requestPermission/, /bellhop client flutter/, /Bellhop\.start\(/, /FirebasePush\(\)/, /Bellhop\.onOpen/],
=======
    Expo: [/bellhop client expo/, /app\.plugin\.js/, /register\(\{ ask: true/, /onOpen/],
    Flutter: [/requestPermission/, /getToken/, /onTokenRefresh/, /onMessageOpenedApp/, /'stats'/],
>>>>>>> 420e4264 (docs(manual): describe the Expo library, from nothing to an image)
  }
  for (const { title, code } of samplesFor('https://push.shop.test', 'app_123')) {
    const missing = (says[title] ?? [/^never$/]).filter((one) => !one.test(code.join('\n')))
    expect({ title, missing }).toEqual({ title, missing: [] })
  }
})

<<<<<<< HEAD
test('the calls of the Expo sample are taken as they are', async () => {
  const [code = ''] = samplesFor(service.url, service.application.id).find(({ title }) => title === 'Expo')?.code ?? []
  const calls: { readonly url: string; readonly init: RequestInit }[] = []
  const opened: ((response: object) => void)[] = []
  const Notifications = {
    AndroidImportance: { DEFAULT: 3 },
    setNotificationHandler: () => {},
    addPushTokenListener: () => ({ remove: () => {} }),
    addNotificationResponseReceivedListener: (listener: (response: object) => void) => (opened.push(listener), {}),
    setNotificationChannelAsync: async () => null,
    requestPermissionsAsync: async () => ({ granted: true }),
    getDevicePushTokenAsync: async () => ({ type: 'android', data: 'a-token-of-FCM' }),
  }
  const script = new Bun.Transpiler({ loader: 'tsx' })
    .transformSync(code)
    .replaceAll(/^import .*$/gm, '')
    .replaceAll(/^export \{[^}]*\};?$/gm, '')
    .replaceAll(/^export /gm, '')
  // oxlint-disable-next-line no-implied-eval, no-new-func, typescript/no-implied-eval -- the code of a page of ours
  const useBellhop = new Function('Notifications', 'Platform', 'useEffect', 'fetch', `${script}\nreturn useBellhop`)(
    Notifications,
    { OS: 'android' },
    (effect: () => void) => effect(),
    async (url: string, init: RequestInit) => void calls.push({ url, init }),
  ) as () => void
  useBellhop()
  while (calls.length === 0) await Promise.resolve()
  const push = { bellhop: JSON.stringify({ push: '019a9f7e-3c1b-7000-8000-000000000000' }) }
  opened[0]?.({ notification: { request: { trigger: { remoteMessage: { data: push } }, content: {} } } })
  const statuses = []
  for (const { url, init } of calls) statuses.push((await fetch(url, init)).status)
  expect(statuses).toEqual([201, 200])
=======
test('the Next.js sample sends, once for each key, and proves a user', async () => {
  const [lib = ''] = codeIn('backends', 'ts')
  const path = join(folder, 'bellhop.ts')
  writeFileSync(path, lib.replace("import 'server-only'\n", ''))
  const run = `const { push, userProof } = await import(${JSON.stringify(path)})
    const body = ${JSON.stringify(PUSH)}
    console.log(await push(body, 'order-1') === await push(body, 'order-1'), userProof('zoe'))
    await push({}, 'order-2').catch((error) => console.log(error.message))`
  const child = Bun.spawn([process.execPath, '-e', run], { env: environment(), stdout: 'pipe', stderr: 'inherit' })
  expect(await new Response(child.stdout).text()).toBe(
    `true ${PROOF}\nBellhop: MissingParameter: platform is required for a broadcast.\n`,
  )
})

const python = Bun.which('python3')
test.skipIf(python === null)('the Django sample sends, once for each key, and proves a user', async () => {
  const [module = ''] = codeIn('backends', 'python')
  writeFileSync(join(folder, 'bellhop.py'), module)
  const run = `import bellhop
body = ${JSON.stringify(PUSH)}
print(bellhop.push(body, "order-3") == bellhop.push(body, "order-3"), bellhop.user_proof("zoe"))`
  const env = { ...process.env, ...environment(), PYTHONPATH: folder }
  const child = Bun.spawn([python ?? '', '-c', run], { env, stdout: 'pipe', stderr: 'inherit' })
  expect(await new Response(child.stdout).text()).toBe(`True ${PROOF}\n`)
>>>>>>> 420e4264 (docs(manual): describe the Expo library, from nothing to an image)
})
