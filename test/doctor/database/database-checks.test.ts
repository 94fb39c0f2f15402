import { describe, expect, test } from 'bun:test'
import {
  judgeCertificate,
  judgeCredentials,
  judgeSubject,
  judgeUserKey,
} from '../../../src/doctor/applications/credential-check.ts'
import { judgeClients, judgeDevices } from '../../../src/doctor/applications/device-check.ts'
import { judgePushes, judgeWebhook } from '../../../src/doctor/applications/queue-check.ts'
import {
  judgeAlerts,
  judgeForeignKeys,
  judgeFreePages,
  judgeIntegrity,
  judgeLog,
  judgeSchema,
} from '../../../src/doctor/database/database-check.ts'
import { expectFinding } from '../expect-finding.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const DAY_MS = 86_400_000

describe('the database', () => {
  test('has the schema of this version, an older one, or a newer one', () => {
    expect(judgeSchema(8, 8).state).toBe('ok')
    expectFinding(judgeSchema(6, 8), 'warning', /schema 6 of 8: it is upgraded at the next start/)
    expectFinding(judgeSchema(9, 8), 'failed', /schema 9; this one knows 8/)
  })

  test('is whole, or damaged', () => {
    expect(judgeIntegrity([], false).state).toBe('ok')
    expectFinding(
      judgeIntegrity(['Page 7: btreeInitPage() returns error code 11', 'b', 'c', 'd'], false),
      'failed',
      'The database is damaged: Page 7: btreeInitPage() returns error code 11, b and 2 more.',
      /restore a backup/,
    )
    expect(judgeForeignKeys([]).state).toBe('ok')
    expectFinding(judgeForeignKeys(['device', 'push']), 'warning', /Rows of device and push/)
  })

  test('has a log that is emptied, or not', () => {
    expect(judgeLog(null).state).toBe('ok')
    expect(judgeLog(40_000_000).state).toBe('ok')
    expectFinding(judgeLog(900_000_000), 'warning', /grown to 900 MB/)
    expect(judgeFreePages(1_000_000_000, 400_000_000).advice).toBeNull()
    expectFinding(
      judgeFreePages(1_000_000_000, 800_000_000),
      'ok',
      'The database has 1.0 GB, of which 800 MB are free for new rows.',
      'bellhop compact releases that space while the server is stopped.',
    )
  })
})

describe('an application', () => {
  const devices = { application: 1, platform: 1, registered: 0, gone: 0, quarantined: 0, stale: 0, lost: 0 } as const

  test('has a credential for the devices that it has', () => {
    const own = { id: 'app_1', simulated: false }
    expect(judgeCredentials(own, ['apns', 'fcm'], []).found).toBe('It has a credential for APNs and FCM.')
    expectFinding(judgeCredentials(own, [], []), 'warning', undefined, /bellhop app apns app_1/)
    expectFinding(
      judgeCredentials(own, ['apns'], [{ ...devices, registered: 1204 }]),
      'warning',
      'It has 1,204 Android devices and no FCM credential: pushes to them wait.',
    )
    expect(judgeCredentials({ ...own, simulated: true }, [], []).state).toBe('ok')
    expect(judgeCredentials({ ...own, simulated: true }, ['webpush'], []).state).toBe('ok')
    expect(judgeCredentials({ ...own, simulated: true }, ['apns', 'webpush'], []).state).toBe('warning')
    expectFinding(
      judgeCredentials({ ...own, simulated: true }, ['apns'], []),
      'warning',
      undefined,
      'If this is not intended: bellhop app simulate app_1 --off.',
    )
  })

  test('has devices, of which some are hardly there', () => {
    expect(judgeDevices('app_1', [], null).found).toBe('0 devices.')
    expectFinding(
      judgeDevices(
        'app_1',
        [
          { ...devices, registered: 1000, gone: 3, quarantined: 1, stale: 20 },
          { ...devices, platform: 0, registered: 500, lost: 7, stale: 9 },
        ],
        null,
      ),
      'ok',
      '1,500 devices, 29 of them not seen for 90 days, 3 gone, 1 quarantined.',
      null,
    )
    expectFinding(
      judgeDevices('app_1', [{ ...devices, registered: 10, stale: 4, lost: 2 }], null),
      'warning',
      /Google has given up 2 Android devices/,
    )
    expectFinding(
      judgeDevices('app_1', [{ ...devices, registered: 10, quarantined: 400 }], null),
      'warning',
      undefined,
      /topic, environment and project/,
    )
  })

  test.each([
    [20, 300, true],
    [19, 300, false],
    [50, 950, false],
    [51, 949, true],
  ])('has lost %d of its devices in one bad hour, and %d not: said is %p', (departed, registered, isSaid) => {
    const since = Date.UTC(2026, 10, 20, 12)
    const worst = { since, until: since + 90_000, departed, reason: 'DeviceTokenNotForTopic' }
    const { state, found, advice } = judgeDevices('app_1', [{ ...devices, registered, gone: departed }], worst)
    expect(state).toBe(isSaid ? 'warning' : 'ok')
    expect(found.includes(`${departed} devices left within an hour`)).toBe(isSaid)
    const command = 'bellhop devices restore app_1 --since 2026-11-20T12:00:00.000Z --until 2026-11-20T12:01:30.000Z.'
    expect(advice?.endsWith(command) ?? false).toBe(isSaid)
  })

  test('has pushes that go out, wait, or are too late', () => {
    const open = { application: 1, platform: 0, open: 2, expired: 0, oldest: NOW - 180_000 } as const
    expect(judgePushes([], [], NOW).found).toBe('No push waits.')
    expect(judgePushes([open], [], NOW).found).toBe('2 pushes are on the way, the oldest since 3 minutes.')
    expectFinding(judgePushes([open], [0], NOW), 'warning', /APNs is paused.*2 pushes wait/)
    expectFinding(judgePushes([{ ...open, expired: 1 }], [], NOW), 'warning', /1 push has not/)
  })

  test('has a webhook that takes its events, or not', () => {
    const webhook = { application: 1, disabledAt: null, waiting: 0, dropped: 0 }
    expect(judgeWebhook(webhook, 'app_1').state).toBe('ok')
    expectFinding(judgeWebhook({ ...webhook, waiting: 5000 }, 'app_1'), 'warning', /5,000 events/)
    expectFinding(judgeWebhook({ ...webhook, disabledAt: NOW }, 'app_1'), 'warning', /disabled since 2026-11-20/)
  })

  test('has devices with client libraries as new as the server, older or newer ones', () => {
    const judged = (...counts: readonly (readonly [string, number])[]) =>
      judgeClients(
        'app_1',
        counts.map(([client, devices]) => ({ application: 1, client, devices })),
        '1.2.3',
      )
    expect(judged()).toBeNull()
    expectFinding(
      judged(['web/1.2.0', 5], ['kotlin/1.2.9', 1]),
      'ok',
      'Client libraries: web/1.2.0 on 5 devices, kotlin/1.2.9 on 1 device.',
    )
    expectFinding(
      judged(['web/1.2.0', 1200], ['kotlin/1.1.9', 4], ['swift/0.9.0', 1]),
      'warning',
      undefined,
      '5 devices have one that is older than this server, 1.2.3. Renew it in the app: bellhop client kotlin app_1 --url … --force, bellhop client swift app_1 --url … --force.',
    )
    expectFinding(judged(['web/1.3.0', 1]), 'warning', undefined, 'Upgrade this server: it is 1.2.3.')
    // A command must not repeat untrusted text.
    expect(judged(['x; rm -rf ~ 0.0.1', 1], ['mine/0.0.1', 1])).toBeNull()
    const many = Array.from({ length: 8 }, (_, at) => [`web/1.2.${at}`, 1] as const)
    expect(judged(...many)?.found).toEndWith(', web/1.2.4 on 1 device, 3 more.')
  })

  test('verifies its users, and can or cannot', () => {
    expect(judgeUserKey({ hasUserKey: 1 }, 'app_1').state).toBe('ok')
    expectFinding(
      judgeUserKey({ hasUserKey: 0 }, 'app_1'),
      'warning',
      /no user key/,
      'Create one: bellhop app user-key app_1.',
    )
  })

  test('has a certificate that ends', () => {
    expect(judgeCertificate(NOW + 31 * DAY_MS, NOW, 'app_1').state).toBe('ok')
    expectFinding(judgeCertificate(NOW + 29 * DAY_MS, NOW, 'app_1'), 'warning', /2026-12-19/)
    expectFinding(judgeCertificate(NOW, NOW, 'app_1'), 'failed', undefined, /bellhop app apns app_1/)
  })
})

describe('alerts', () => {
  test('are recommended in a word, and one whose message was not taken is a warning', () => {
    expectFinding(judgeAlerts([]), 'ok', 'No alert is set.')
    expectFinding(judgeAlerts([{ name: 'ntfy', problem: null }]), 'ok', '1 alert is set. No message has failed.', null)
    expectFinding(
      judgeAlerts([
        { name: 'ntfy', problem: null },
        { name: 'ops', problem: 'HTTP 500' },
      ]),
      'warning',
      'A message of the alert ops was not taken: HTTP 500.',
      'Try it when that is fixed: bellhop alert test ops.',
    )
  })
})

describe('the VAPID subject', () => {
  test('that Apple refuses is a warning, which names Apple and what to do', () => {
    expectFinding(
      judgeSubject('mailto:push@localhost', 'app_1'),
      'warning',
      'Apple refuses the VAPID subject mailto:push@localhost, with 403 BadJwtToken: no push reaches Safari, and no browser of an iPhone or iPad.',
      'Give an address at a public domain: bellhop app webpush app_1 --subject mailto:push@shop.example. The key, and with it each browser, stays.',
    )
    expectFinding(judgeSubject('https://192.168.1.7', 'app_1'), 'warning')
  })

  test('that Apple takes is nothing to tell', () => {
    expect(judgeSubject('mailto:push@shop.example', 'app_1')).toBeNull()
  })
})
