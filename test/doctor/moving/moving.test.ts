import { describe, expect, test } from 'bun:test'
import { createDeviceStore } from '../../../src/device/device-store.ts'
import type { Registration } from '../../../src/device/registration/registration.ts'
import { judgeMoved, judgeRefusals } from '../../../src/doctor/moving/moving-check.ts'
import { createTallyStore } from '../../../src/stats/tally-store.ts'
import { DAY_MS } from '../../../src/clock.ts'
import { APNS_KEY, startHarness } from '../harness.ts'
import type { DoctorHarness } from '../harness.ts'
import { expectFinding } from '../expect-finding.ts'

const apple = (n: number) => n.toString(16).padStart(64, 'a')
const LIST = [
  'token,platform,user',
  `${apple(1)},ios,ann`,
  `${apple(2)},ios,bob`,
  'fcm-3,android,ann',
  'fcm-4,android,eve',
  'fcm-5,android,',
].join('\n')

async function importInto(use: DoctorHarness, list: string): Promise<void> {
  const printed = await use.line.run(['import', 'Shop', use.line.file('list.csv', list)])
  expect(printed).toMatchObject({ exitCode: 0 })
}

/** `adopts`: the registration may replace imported devices. */
function register(use: DoctorHarness, registration: Registration, adopts = true): void {
  using database = use.line.database()
  const devices = createDeviceStore({ database, clock: use.line.clock })
  database.transact(() => devices.register(1, registration, { adopts }))
}

function change(use: DoctorHarness, sql: string): void {
  using database = use.line.database()
  database.statement(sql).run()
}

describe('doctor --moving', () => {
  test('goes through the list of a move before anything was imported, and names the next step', async () => {
    await using use = await startHarness()
    const id = await use.addApplication('Shop')
    const { checks, check, exitCode } = await use.examine(['Shop', '--moving'])
    expect(exitCode).toBe(0)
    expect(checks.map(({ id, state }) => `${id} ${state}`)).toEqual([
      'database ok',
      'moving-imported warning',
      'credentials warning',
      'moving-browsers skipped',
      'moving-sent skipped',
      'moving-refused ok',
      'moving-adoption ok',
      'moving-twins ok',
      'moving-registered skipped',
    ])
    expect(check('moving-imported')).toMatchObject({
      application: id,
      found: 'No device was imported.',
      advice: 'Import the list of the old service: bellhop import APP FILE. Guides: bellhop manual moving.',
    })
  })

  test('counts who has come, who has registered since and who has no user, and who was sent to', async () => {
    await using use = await startHarness()
    const id = await use.addApplication('Shop')
    use.store(id, APNS_KEY)
    await importInto(use, LIST)
    // The same token, another token of the same user, and a new user.
    register(use, { token: apple(1), platform: 0, user: 'ann' })
    register(use, { token: 'fcm-6', platform: 1, user: 'eve' })
    register(use, { token: 'fcm-7', platform: 1, user: 'zoe' })
    using database = use.line.database()
    const now = use.line.clock.now()
    const tallies = createTallyStore({ database })
    database.transact(() => {
      for (const [days, sent] of [
        [0, 100],
        [6, 20],
        [7, 3],
        [29, 4],
        [30, 5000],
      ] as const) {
        tallies.addSent({ application: 1, platform: 0 }, now - days * DAY_MS, sent, sent)
      }
      tallies.addReceipt({ application: 1, platform: 0 }, 'opened', now)
    })
    const { check } = await use.examine(['Shop', '--moving'])
    expect(check('moving-imported').found).toBe('5 devices came by an import: 2 iOS, 3 Android.')
    expectFinding(
      check('credentials'),
      'warning',
      'It has 4 Android devices and no FCM credential: pushes to them wait.',
    )
    expectFinding(
      check('moving-registered'),
      'ok',
      '40.0 % of the imported devices have registered by themselves since: iOS 1 of 2, Android 1 of 3.',
    )
    expectFinding(
      check('moving-adoption'),
      'ok',
      'A registration replaces an imported device of its user. 1 waiting device has no user.',
    )
    expect(check('moving-twins').state).toBe('ok')
    expect(check('moving-sent').found).toBe('Accepted in the last 7 days: 120, opened 1; in 30 days: 127, opened 1.')
  })

  test('warns of users who get a push twice, and of a registration that replaces nobody', async () => {
    await using use = await startHarness()
    const id = await use.addApplication('Shop')
    await importInto(use, `${LIST}\n${apple(6)},ios,bob\nfcm-11,android,kim`)
    // Two imported phones do not count either, nor does an imported one that has left.
    for (const token of ['fcm-12', 'fcm-13']) register(use, { token, platform: 1, user: 'kim' }, false)
    change(use, "UPDATE device SET state = 1 WHERE token = 'fcm-11'")
    // None of these counts: another platform, the same token, a device that has left.
    register(use, { token: 'fcm-8', platform: 1, user: 'bob' }, false)
    register(use, { token: apple(1), platform: 0, user: 'ann' }, false)
    register(use, { token: 'fcm-9', platform: 1, user: 'eve' }, false)
    register(use, { token: 'fcm-10', platform: 1, user: 'ann' }, false)
    change(use, "UPDATE device SET state = 1 WHERE token = 'fcm-10'")
    await use.line.run(['app', 'limits', 'Shop', '--no-adopt-imported'])
    const { check } = await use.examine(['Shop', '--moving'])
    expectFinding(
      check('moving-twins'),
      'warning',
      '1 user has an imported device beside a new one of the same platform.',
    )
    expectFinding(
      check('moving-adoption'),
      'warning',
      'A registration does not replace an imported device of its user. 1 waiting device has no user.',
      `Phones with a new token get each push twice. Turn it on: bellhop app limits ${id} --adopt-imported.`,
    )
  })

  test('names what gateways say of imported tokens, first of all that they are of another sender', async () => {
    await using use = await startHarness()
    await use.addApplication('Shop')
    await importInto(use, LIST)
    change(use, "UPDATE device SET state = 1 WHERE token = 'fcm-3'")
    change(
      use,
      "INSERT INTO feedback (application, platform, token, reason, at) VALUES (1, 1, 'fcm-3', 'UNREGISTERED', 1)",
    )
    const gone = await use.examine(['Shop', '--moving'])
    expectFinding(gone.check('moving-refused'), 'ok', 'Gateways refused 1 imported device: 1 UNREGISTERED.')
    change(
      use,
      `INSERT INTO refused_token (application, platform, credential, device, reason, since)
       SELECT 1, 1, 1, id, 'SENDER_ID_MISMATCH', 1 FROM device WHERE token IN ('fcm-4', 'fcm-5')`,
    )
    const { check } = await use.examine(['Shop', '--moving'])
    expectFinding(
      check('moving-refused'),
      'warning',
      'Gateways refused 3 imported devices: 2 SENDER_ID_MISMATCH, 1 UNREGISTERED.',
      /Sender ID/,
    )
  })

  test('prints a line a check into a pipe, needs an application, and does not go with --send', async () => {
    await using use = await startHarness()
    await use.addApplication('Shop')
    const { stdout } = await use.line.run(['doctor', 'Shop', '--moving'], use.env)
    expect(stdout).toContain('\nwarning moving-imported (Shop): No device was imported. Import the list')
    expect(await use.line.run(['doctor', '--moving'], use.env)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('doctor --moving needs the application: bellhop doctor APP --moving.') as string,
    })
    expect(await use.line.run(['doctor', 'Shop', '--moving', '--send', 'x'], use.env)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("--moving and --send can't be combined") as string,
    })
    expect((await use.line.run(['doctor', 'Kiosk', '--moving'], use.env)).stderr).toContain('no application "Kiosk"')
  })
})

describe('the step after it', () => {
  const count = (moved: number, waiting: number) => ({
    platform: 1 as const,
    imported: moved + waiting,
    moved,
    waiting,
    nameless: 0,
    registered: moved + waiting,
  })

  test.each([
    [0, 10, 'Release the app'],
    [5, 5, 'when the new app is opened'],
    [89, 11, 'when the new app is opened'],
    [90, 10, 'can be turned off'],
  ])('with %p registered and %p not: %s', (moved, waiting, advice) => {
    expect(judgeMoved([count(moved, waiting)]).advice).toContain(advice)
  })

  test('is to look for the wrong app or environment where most were refused', () => {
    expect(judgeRefusals([count(0, 10)], [{ reason: 'BadDeviceToken', devices: 5 }]).state).toBe('ok')
    expect(judgeRefusals([count(0, 10)], [{ reason: 'BadDeviceToken', devices: 6 }]).state).toBe('warning')
  })
})
