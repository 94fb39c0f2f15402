import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createApplicationStore } from '../../../src/application/application-store.ts'
import { secretMatches } from '../../../src/application/secret.ts'
import { createDeviceStore } from '../../../src/device/device-store.ts'
import { apnsMagicToken } from '../../../src/gateway/simulator/apns/apns-magic-tokens.ts'
import { fcmMagicToken } from '../../../src/gateway/simulator/fcm/fcm-answer.ts'
import { commandLine, openShop, printed, refused, withShop } from '../command-line.ts'
import type { CommandLine } from '../command-line.ts'

interface Created {
  readonly id: string
  readonly secret: string
}

async function create(cli: CommandLine, name: string): Promise<Created> {
  const { stdout } = await cli.run(['app', 'create', name, '--json'])
  return JSON.parse(stdout) as Created
}

function opens(cli: CommandLine, { id, secret }: Created): boolean {
  using database = cli.database()
  const application = createApplicationStore({ database, clock: cli.clock }).find(id)
  return secretMatches(application, secret, cli.clock.now())
}

const LIMITS = [
  '  rate               10        calls a second for each network address',
  '  burst              100       burst for each network address',
  '  backend-rate       100       calls a second with the secret',
  '  backend-burst      1000      burst with the secret',
  '  quota              10000000  calls a period',
  '  quota-period       month     a calendar day or month, UTC',
  '  confirm-above      off       a push to more devices must state their number; 0 = off',
  '  hold-seconds       off       seconds in which a push to many can be cancelled; 0 = off',
  '  labels             100000    calls without the secret may add tags and types up to this number',
  '  devices            1000000   calls without the secret may register devices up to this number',
  '  push-id            on        the payload includes the push ID, for reporting opens',
  '  secret-everywhere  off       require the secret for every call, including those of apps',
  '  verify-users       off       a user or alias without the secret needs a proof, made with the key of app user-key',
  '  adopt-imported     unset     a new token replaces an imported device of the same user; unset = on after the first import of users',
  '',
].join('\n')

describe('app create', () => {
  test('--json prints exactly one line with id, secret and name, and the secret is the right one', async () => {
    using cli = commandLine()
    const { exitCode, stdout, stderr } = await cli.run(['app', 'create', 'Corner Shop', '--json'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toMatch(/^\{"id":"app_[a-z2-7]{16}","secret":"bhs_[\w-]{43}","name":"Corner Shop"\}\n$/)
    expect(opens(cli, JSON.parse(stdout) as Created)).toBe(true)
  })

  test('shows the secret, says that it is shown once, and what to do next', async () => {
    using cli = commandLine()
    const { exitCode, stdout, stderr } = await cli.run(['app', 'create', 'Shop', '--data', cli.data])
    const id = /app_\w+/.exec(stdout)?.[0] ?? ''
    const secret = /bhs_[\w-]+/.exec(stdout)?.[0] ?? ''
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(opens(cli, { id, secret })).toBe(true)
    expect(stdout).toBe(
      [
        'Created the application "Shop".',
        '',
        `  id      ${id}`,
        `  secret  ${secret}`,
        '',
        "Copy the secret to your backend now; you won't see it again. Put the ID into the app.",
        'Next, choose where its pushes go:',
        `  bellhop app apns ${id} --key FILE.p8 --key-id K --team-id T --topic BUNDLE --data ${cli.data}`,
        `  bellhop app fcm ${id} --service-account FILE.json --data ${cli.data}`,
        'to browsers, which needs no account:',
        `  bellhop app webpush ${id} --subject mailto:YOU@EXAMPLE.COM --data ${cli.data}`,
        'or try it without any keys:',
        `  bellhop app simulate ${id} --data ${cli.data}`,
        '',
      ].join('\n'),
    )
  })

  test('the next steps repeat --data only where it was given, quoted for a shell', async () => {
    using cli = commandLine()
    expect((await cli.run(['app', 'create', 'One'])).stdout).not.toContain('--data')
    const odd = join(cli.data, "it's here")
    const { stdout } = await cli.run(['app', 'create', 'Two', '--data', odd])
    expect(stdout).toContain(` --data '${cli.data}/it'\\''s here'\n`)
  })

  test('a name is taken once', async () => {
    using cli = await withShop()
    expect(await cli.run(['app', 'create', 'Shop'])).toEqual(
      refused(1, 'An application named "Shop" already exists: choose another name.'),
    )
  })

  test('a name that is none is refused', async () => {
    using cli = commandLine()
    for (const name of ['', ' Shop', 'a\nb', 'x'.repeat(101)]) {
      expect(await cli.run(['app', 'create', name])).toEqual(
        refused(2, 'NAME must be 1 to 100 characters, without control characters and without white space at an end.'),
      )
    }
  })
})

describe('app list and app show', () => {
  test('list shows id, name and where pushes go, in the order of creation', async () => {
    using cli = commandLine()
    const shop = await create(cli, 'Shop')
    const bank = await create(cli, 'Bank')
    await cli.run(['app', 'simulate', 'Bank'])
    expect(await cli.run(['app', 'list'])).toEqual(
      printed(
        'ID                    SENDS TO     NAME',
        `${shop.id}  nothing yet  Shop`,
        `${bank.id}  simulator    Bank`,
      ),
    )
  })

  test('an empty list says how to add to it', async () => {
    using cli = await withShop()
    await cli.run(['app', 'delete', 'Shop', '--yes'])
    expect(await cli.run(['app', 'list'])).toEqual(
      printed('There are no applications yet: bellhop app create NAME adds one.'),
    )
    expect((await cli.run(['app', 'list', '--json'])).stdout).toBe('[]\n')
  })

  test('show finds an application by id and by name', async () => {
    using cli = await withShop()
    const { id } = cli
    const holds = '  holds     0 devices, also those that are gone; 0 tags and types'
    const text = ['Shop', '', `  id        ${id}`, '  sends to  nothing yet', holds, '', LIMITS].join('\n')
    expect(await cli.run(['app', 'show', 'Shop'])).toEqual({ exitCode: 0, stdout: text, stderr: '' })
    expect((await cli.run(['app', 'show', id])).stdout).toBe(text)
  })

  test('--json prints one line, the same for show and list, without secret and hash', async () => {
    using cli = await withShop()
    const { id } = cli
    const limits = {
      rate: 10,
      burst: 100,
      backendRate: 100,
      backendBurst: 1000,
      quota: 10_000_000,
      quotaPeriod: 'month',
      confirmAbove: 0,
      holdSeconds: 0,
      maxLabels: 100_000,
      maxDevices: 1_000_000,
      pushId: true,
      secretEverywhere: false,
      verifyUsers: false,
      adoptImported: null,
    }
    const size = { devices: 0, labels: 0, adoptable: 0 }
    const shown = JSON.stringify({
      id,
      name: 'Shop',
      simulated: false,
      limits,
      ...size,
      credentials: [],
      webhook: null,
      userKey: null,
    })
    expect((await cli.run(['app', 'show', 'Shop', '--json'])).stdout).toBe(`${shown}\n`)
    expect((await cli.run(['app', 'list', '--json'])).stdout).toBe(`[${shown}]\n`)
  })
})

describe('app rotate-secret', () => {
  test('the new secret opens, the old one no longer', async () => {
    using cli = await withShop()
    const before = cli
    const { exitCode, stdout } = await cli.run(['app', 'rotate-secret', 'Shop', '--json'])
    const after = JSON.parse(stdout) as Created
    expect(exitCode).toBe(0)
    expect(stdout).toBe(`${JSON.stringify({ id: before.id, secret: after.secret, name: 'Shop' })}\n`)
    expect([opens(cli, before), opens(cli, after)]).toEqual([false, true])
  })

  test('with --overlap the old one counts for so long', async () => {
    using cli = await withShop()
    const before = cli
    const { stdout } = await cli.run(['app', 'rotate-secret', 'Shop', '--overlap', '24h', '--json'])
    const after = JSON.parse(stdout) as Created
    expect(after).toMatchObject({ previousUntil: '2026-11-21T12:00:00.000Z' })
    expect([opens(cli, before), opens(cli, after)]).toEqual([true, true])
    cli.clock.standStill(86_400_000)
    expect([opens(cli, before), opens(cli, after)]).toEqual([false, true])
    const text = (await cli.run(['app', 'rotate-secret', 'Shop', '--overlap', '15m'])).stdout
    expect(text).toStartWith('"Shop" has a new secret; the old one is valid until 2026-11-21T12:15:00.000Z.\n')
  })

  test('as text it says that the old one is worth nothing', async () => {
    using cli = await withShop()
    const { id } = cli
    const { stdout } = await cli.run(['app', 'rotate-secret', id])
    const secret = /bhs_[\w-]+/.exec(stdout)?.[0] ?? ''
    expect(opens(cli, { id, secret })).toBe(true)
    expect(stdout).toBe(
      `"Shop" has a new secret; the old one no longer works.\n\n  ${secret}\n\nCopy it to your backend now; you won't see it again.\n`,
    )
  })
})

describe('app delete', () => {
  test('without --yes it deletes nothing', async () => {
    using cli = await withShop()
    expect(await cli.run(['app', 'delete', 'Shop'])).toEqual(
      refused(2, 'app delete deletes "Shop" with its devices, pushes and credentials for good; add --yes to do so.'),
    )
    expect((await cli.run(['app', 'show', 'Shop'])).exitCode).toBe(0)
  })

  test('with --yes the application is gone', async () => {
    using cli = await withShop()
    expect(await cli.run(['app', 'delete', 'Shop', '--yes'])).toEqual(printed('Deleted the application "Shop".'))
    expect((await cli.run(['app', 'show', 'Shop'])).exitCode).toBe(1)
  })
})

describe('app simulate', () => {
  test('turns the simulator on, and --off turns it off', async () => {
    using cli = await withShop()
    const simulated = async () =>
      (JSON.parse((await cli.run(['app', 'show', 'Shop', '--json'])).stdout) as { simulated: boolean }).simulated
    const { stdout } = await cli.run(['app', 'simulate', 'Shop'])
    expect(stdout).toStartWith('"Shop" uses the built-in simulator: no real phone is reached.\n')
    expect(await simulated()).toBe(true)
    // The tokens in the message work.
    const rows = stdout.split('\n').filter((line) => line.startsWith('  bad'))
    expect(rows.length).toBeGreaterThan(3)
    for (const row of rows) {
      const [ios = '', android = ''] = row.trim().split(/ {2,}/)
      expect(apnsMagicToken(ios.replace('…', '').padEnd(64, '0'), 'production')).not.toBeNull()
      expect(fcmMagicToken(android.replace('…', 'abc'))).not.toBeNull()
    }
    expect((await cli.run(['app', 'simulate', 'Shop', '--off'])).stdout).toBe(
      '"Shop" sends to APNs, FCM and push services.\n',
    )
    expect(await simulated()).toBe(false)
  })

  test('of an application for phones needs --yes, and says what would happen', async () => {
    using cli = await withShop()
    using shop = openShop(cli)
    const device = { token: 'ab'.repeat(32), platform: 0 } as const
    shop.database.transact(() => void createDeviceStore(shop).register(shop.application.number, device))
    await cli.run(['push', 'Shop', 'Hello', '--all'])
    await cli.run(['push', 'Shop', 'Hello', '--all', '--send-at', '3600'])
    const refusedWith = (what: string) =>
      refused(
        1,
        `"Shop" has ${what}: what waits would go to the simulator and reach no phone, and devices whose tokens it does not like would leave the audience. Add --yes to do so.`,
      )
    expect(await cli.run(['app', 'simulate', 'Shop'])).toEqual(refusedWith('1 device, 2 pushes to be sent'))
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const file = cli.file('AuthKey_ABC123DEFG.p8', privateKey.export({ type: 'pkcs8', format: 'pem' }))
    await cli.run(['app', 'apns', 'Shop', '--key', file, '--team-id', 'DEF123GHIJ', '--topic', 'com.example.shop'])
    expect(await cli.run(['app', 'simulate', 'Shop'])).toEqual(
      refusedWith('1 device, 2 pushes to be sent, an APNs credential'),
    )
    expect((await cli.run(['app', 'list'])).stdout).not.toContain('simulator')
    expect((await cli.run(['app', 'simulate', 'Shop', '--yes'])).exitCode).toBe(0)
    // The application is already simulated.
    expect((await cli.run(['app', 'simulate', 'Shop'])).exitCode).toBe(0)
  })
})

describe('app limits', () => {
  test('prints the limits when none is given', async () => {
    using cli = await withShop()
    expect(await cli.run(['app', 'limits', 'Shop'])).toEqual({ exitCode: 0, stdout: LIMITS, stderr: '' })
  })

  test('changes what is given and leaves the rest, 0 = unlimited', async () => {
    using cli = await withShop()
    const { id } = cli
    const changed = [
      '  rate               0.5        calls a second for each network address',
      '  burst              100        burst for each network address',
      '  backend-rate       100        calls a second with the secret',
      '  backend-burst      1000       burst with the secret',
      '  quota              unlimited  calls a period',
      '  quota-period       day        a calendar day or month, UTC',
      '  confirm-above      1000       a push to more devices must state their number; 0 = off',
      '  hold-seconds       off        seconds in which a push to many can be cancelled; 0 = off',
      '  labels             5000       calls without the secret may add tags and types up to this number',
      '  devices            unlimited  calls without the secret may register devices up to this number',
      '  push-id            off        the payload includes the push ID, for reporting opens',
      '  secret-everywhere  on         require the secret for every call, including those of apps',
      '  verify-users       on         a user or alias without the secret needs a proof, made with the key of app user-key',
      '  adopt-imported     unset      a new token replaces an imported device of the same user; unset = on after the first import of users',
      '',
    ].join('\n')
    const set = await cli.run([
      'app',
      'limits',
      'Shop',
      '--rate',
      '0.5',
      '--quota',
      '0',
      '--quota-period',
      'day',
      '--confirm-above=1000',
      '--labels=5000',
      '--devices=0',
      '--no-push-id',
      '--secret-everywhere',
      '--verify-users',
    ])
    const note = `\nIt has no user key yet, so no user can be proven: bellhop app user-key ${id}\n`
    expect(set).toEqual({ exitCode: 0, stdout: changed + note, stderr: '' })
    expect((await cli.run(['app', 'limits', 'Shop'])).stdout).toBe(changed)
    const again = await cli.run(['app', 'limits', 'Shop', '--push-id'])
    expect(again.stdout).toBe(changed.replace('push-id            off', 'push-id            on '))
    const open = await cli.run(['app', 'limits', 'Shop', '--no-secret-everywhere'])
    expect(open.stdout).toBe(again.stdout.replace('secret-everywhere  on ', 'secret-everywhere  off'))
    await cli.run(['app', 'user-key', 'Shop'])
    expect((await cli.run(['app', 'limits', 'Shop', '--verify-users'])).stdout).toBe(open.stdout)
    for (const [flag, shown] of [
      ['--adopt-imported', 'on   '],
      ['--no-adopt-imported', 'off  '],
    ] as const) {
      const { stdout } = await cli.run(['app', 'limits', 'Shop', flag])
      expect(stdout).toBe(open.stdout.replace('adopt-imported     unset', `adopt-imported     ${shown}`))
    }
  })
})

describe('the data directory', () => {
  test.each([['app list'], ['app show Shop'], ['app delete Shop --yes'], ['export Shop -']])(
    '%s does not bring one into being',
    async (line) => {
      using cli = commandLine()
      const elsewhere = join(cli.data, 'elsewhere')
      expect(await cli.run([...line.split(' '), '--data', elsewhere])).toEqual(
        refused(
          1,
          `There is no Bellhop database in ${elsewhere}: bellhop app create NAME creates one, --data selects another.`,
        ),
      )
      expect(existsSync(elsewhere)).toBe(false)
    },
  )

  test.each([['app show Shop'], ['stats Shop'], ['export Shop -']])(
    '%s says which application it does not find, and where',
    async (line) => {
      using cli = commandLine()
      await create(cli, 'Bank')
      expect(await cli.run(line.split(' '))).toEqual(
        refused(1, `There is no application "Shop" in ${cli.data}: bellhop app list lists them.`),
      )
    },
  )

  test('that a newer Bellhop has written is left alone', async () => {
    using cli = await withShop()
    {
      using database = cli.database()
      database.statement('PRAGMA user_version = 1000').run()
    }
    const { exitCode, stderr } = await cli.run(['app', 'list'])
    expect(exitCode).toBe(1)
    expect(stderr).toStartWith(
      `bellhop: The database ${cli.data}/bellhop.db was written by a newer Bellhop (schema 1000; `,
    )
  })

  test('that cannot be made is one sentence', async () => {
    using cli = commandLine()
    const file = cli.file('file', '')
    expect(await cli.run(['app', 'create', 'Shop', '--data', join(file, 'below')])).toEqual(
      refused(1, `${file} is a file: no data directory can be there (--data).`),
    )
  })

  test('whose file is no database is one sentence', async () => {
    using cli = commandLine()
    cli.file('bellhop.db', 'This is a text that is certainly not an SQLite database. '.repeat(20))
    expect(await cli.run(['app', 'list'])).toEqual(
      refused(
        1,
        `The file ${cli.data}/bellhop.db is not a database, or its beginning is damaged. It is left as it is: restore a backup, or choose another data directory (--data).`,
      ),
    )
  })

  test('an empty --data is asked for wrongly', async () => {
    using cli = commandLine()
    expect(await cli.run(['app', 'list', '--data='])).toEqual(refused(2, '--data (BELLHOP_DATA): "" is not a path'))
  })
})
