import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync, unlinkSync } from 'node:fs'
import { createAdminTokenStore } from '../../../src/admin/admin-token-store.ts'
import type { Actor } from '../../../src/admin/administrator.ts'
import { createAdminLinkStore } from '../../../src/admin/session/admin-link-store.ts'
import { authenticator } from '../../support/authenticator.ts'
import { commandLine, printed, refused } from '../command-line.ts'
import type { CommandLine } from '../command-line.ts'

let line: CommandLine

beforeEach(async () => {
  line = commandLine()
  await line.run(['app', 'create', 'Shop'])
  await line.run(['admin', 'add', 'ann'])
})
afterEach(() => line[Symbol.dispose]())

const json = async (...argv: string[]) => {
  const { exitCode, stdout, stderr } = await line.run([...argv, '--json'])
  return exitCode === 0 ? JSON.parse(stdout) : stderr
}

const actions = () => {
  using database = line.database()
  return database
    .statement<{ action: string; subject: string; result: string }, []>(
      "SELECT action, subject, result FROM admin_log WHERE subject = 'ann' ORDER BY number",
    )
    .all()
    .map(({ action, subject, result }) => `${action}: ${subject}, ${result}`)
}

describe('admin totp', () => {
  test('shows a key, takes a code of it, and prints the recovery codes', async () => {
    const begun = await line.run(['admin', 'totp', 'ann'])
    expect(begun.exitCode).toBe(0)
    const [secret = ''] = /\b[A-Z2-7]{32}\b/.exec(begun.stdout) ?? []
    expect(begun.stdout).toContain(`otpauth://totp/Bellhop:ann?secret=${secret}&issuer=Bellhop`)
    expect(begun.stdout).toContain('bellhop admin totp ann --code CODE')
    const app = authenticator(secret, line.clock)
    expect(await json('admin', 'totp', 'ann', '--code', '000000')).toBe(
      'bellhop: The code is wrong or was already used.\n',
    )
    expect(await json('admin', 'list')).toMatchObject([{ name: 'ann', hasSecondFactor: false }])
    const confirmed = await line.run(['admin', 'totp', 'ann', '--code', app()])
    expect(confirmed.stdout.match(/^ {2}(?:[a-z2-7]{4}-){3}[a-z2-7]{4}$/gm)).toHaveLength(10)
    expect((await line.run(['admin', 'list'])).stdout).toMatch(/NAME +ADDED +SEEN +SECOND FACTOR\nann .* on\n/)
    expect(await json('admin', 'totp', 'ann')).toBe(
      'bellhop: "ann" already has a second factor: --off removes it, --recovery-codes creates new recovery codes.\n',
    )
    expect(actions()).toEqual([
      'add administrator: ann, ok',
      'change second factor: ann, ok',
      'change second factor: ann, refused',
      'change second factor: ann, ok',
      'change second factor: ann, refused',
    ])
  })

  test('makes other recovery codes, and is turned off, by a code alone', async () => {
    const { secret } = await json('admin', 'totp', 'ann')
    const app = authenticator(secret, line.clock)
    const { recoveryCodes } = await json('admin', 'totp', 'ann', '--code', app())
    for (const flag of ['--off', '--recovery-codes']) {
      expect(await line.run(['admin', 'totp', 'ann', flag])).toEqual(
        refused(2, `${flag} needs --code, of the authenticator app or a recovery code.`),
      )
    }
    const renewed = await json('admin', 'totp', 'ann', '--recovery-codes', '--code', recoveryCodes[0])
    expect(await json('admin', 'totp', 'ann', '--off', '--code', recoveryCodes[1])).toContain('The code is wrong')
    expect(await json('admin', 'totp', 'ann', '--off', '--code', renewed.recoveryCodes[0])).toEqual({ off: true })
    expect(await json('admin', 'totp', 'ann', '--off', '--code', app(1))).toBe('bellhop: "ann" has no second factor.\n')
  })

  test('says who is not there, and that nothing waits for a code', async () => {
    expect(await json('admin', 'totp', 'anm')).toContain('There is no administrator "anm"')
    expect(await json('admin', 'totp', 'ann', '--code', '123456')).toBe(
      'bellhop: No second factor is being set up: bellhop admin totp ann starts it.\n',
    )
  })
})

describe('a second factor on disk', () => {
  test('is one of the sealed records: doctor, backups and a rotation of the key see to it', async () => {
    const { secret } = await json('admin', 'totp', 'ann')
    const app = authenticator(secret, line.clock)
    const { recoveryCodes } = await json('admin', 'totp', 'ann', '--code', app())
    expect((await line.run(['doctor', '--offline'])).stdout).toContain('It opens 1 sealed record.')
    const backup = line.file('backup.db', '')
    unlinkSync(backup)
    await line.run(['backup', backup])
    const bytes = readFileSync(backup)
    for (const text of [secret, ...recoveryCodes]) expect(bytes.includes(text)).toBe(false)
    expect((await line.run(['backup', 'verify', backup])).stdout).toContain(
      "This machine's sealing key opens its credentials.",
    )

    expect(await json('key', 'rotate')).toMatchObject({ resealed: 1 })
    expect(await line.run(['backup', 'verify', backup])).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('does not open the credentials in it'),
    })
    expect(await json('admin', 'totp', 'ann', '--recovery-codes', '--code', app(1))).toMatchObject({
      recoveryCodes: expect.any(Array),
    })
  })
})

describe('admin reset', () => {
  test('is the way out: a new password, no second factor, no session, no link for or by it, and a new link', async () => {
    const { secret } = await json('admin', 'totp', 'ann')
    await json('admin', 'totp', 'ann', '--code', authenticator(secret, line.clock)())
    await json('admin', 'link', 'ann')
    {
      using database = line.database()
      const ann = { kind: 'administrator', number: 1, name: 'ann' } as const
      createAdminLinkStore({ database, clock: line.clock }).make(null, ann)
    }
    // Without the key, which may be lost.
    const reset = await line.run(['admin', 'reset', 'ann', '--url', 'https://push.example.com'])
    expect(reset.stdout).toMatch(
      /^"ann" has a new password and no second factor\. All sessions were ended\.\n\n {2}[\w-]{20}\n\nCopy the password now; you won't see it again\.\nThis one-time link, valid for 30 minutes, signs in without it:\n\n {2}https:\/\/push\.example\.com\/setup#[\w-]{43}\n$/,
    )
    expect(await json('admin', 'list')).toMatchObject([{ name: 'ann', hasSecondFactor: false }])
    using database = line.database()
    const count = (from: string) => database.statement<{ n: number }, []>(`SELECT count(*) AS n FROM ${from}`).get()?.n
    expect([count('second_factor'), count('recovery_code'), count('admin_link')]).toEqual([0, 0, 1])
  })
})

describe('admin remove and revoke', () => {
  const madeBy = (by: Actor, ...names: string[]) => {
    using database = line.database()
    const tokens = createAdminTokenStore({ database, clock: line.clock })
    for (const name of names) tokens.add(name, { purpose: 'administer', expiresAt: null }, by)
  }
  const ann: Actor = { kind: 'administrator', number: 1, name: 'ann' }
  const ci: Actor = { kind: 'token', name: 'ci', purpose: 'administer', expiresAt: null }

  test('name the tokens that were made by whom they end, and still work', async () => {
    madeBy(ann, 'ci', 'big sister')
    madeBy(ci, 'ci 2', 'gone')
    await line.run(['admin', 'token', 'other'])
    expect(await line.run(['admin', 'revoke', 'gone'])).toEqual(printed('The token "gone" no longer works.'))
    expect(await line.run(['admin', 'revoke', 'ci'])).toEqual(
      printed('The token "ci" no longer works.', 'Tokens made with it still work:', `  bellhop admin revoke 'ci 2'`),
    )
    expect(await line.run(['admin', 'remove', 'ann', '--yes'])).toEqual(
      printed(
        '"ann" is no longer an administrator. All sessions and links were ended.',
        'Tokens that this administrator made still work:',
        `  bellhop admin revoke 'big sister'`,
        `  bellhop admin revoke 'ci 2'`,
      ),
    )
    expect(await json('admin', 'tokens')).toMatchObject([
      { name: 'big sister', madeBy: 'administrator ann' },
      { name: 'ci 2', madeBy: 'administrator ann' },
      { name: 'other', madeBy: expect.stringMatching(/^command /) },
    ])
  })

  test('do not name one that has expired', async () => {
    madeBy(ann, 'ci')
    using database = line.database()
    database.statement('UPDATE admin_token SET expires_at = ?').run(line.clock.now())
    expect(await line.run(['admin', 'remove', 'ann', '--yes'])).toEqual(
      printed('"ann" is no longer an administrator. All sessions and links were ended.'),
    )
  })
})

describe('a password', () => {
  test.each([
    ['add', 'bob'],
    ['reset', 'ann'],
  ] as const)('that is common, or of the name, is refused by admin %s %s', async (verb, name) => {
    const refused = async (password: string) =>
      (await line.run(['admin', verb, name, '--password-file', line.file('password', password)])).stderr
    expect(await refused('Password1234!')).toMatch(
      /^bellhop: The password in .* must not be a common password, even repeated or with digits and symbols around it\.\n$/,
    )
    expect(await refused(`${name}-bellhop-1`)).toContain('must not be the name or "bellhop"')
    expect(await refused('elevenchars')).toContain('must be 12 to 1024 characters.')
    expect(await refused('correct horse battery')).toBe('')
  })
})

describe('admin token', () => {
  test('prints it alone without a terminal, for a file', async () => {
    using line = commandLine()
    const kept = await line.run(['admin', 'token', 'd', '--expires', 'never'])
    expect(kept.stdout).toMatch(/^bha_[\w-]+\n$/)
    expect(kept.stderr).toBe(
      `The token "d" for read, without an end. Keep it now; you won't see it again. Send it as Authorization: Bearer TOKEN.\n`,
    )
  })

  test('is for reading, and ends after 90 days, unless it is said otherwise', async () => {
    expect(await json('admin', 'token', 'a')).toMatchObject({ purpose: 'read', expiresAt: '2027-02-18T12:00:00.000Z' })
    expect(await json('admin', 'token', 'b', '--purpose', 'operate', '--expires', 'never')).toMatchObject({
      purpose: 'operate',
      expiresAt: null,
    })
    const shown = await line.run(['admin', 'token', 'c', '--expires', '1d'], {}, { terminal: { columns: 80 } })
    expect(shown.stdout).toMatch(
      /^The token "c" for read, until 2026-11-21T12:00:00\.000Z:\n\n {2}bha_[\w-]+\n\nCopy it now/,
    )
    const { stdout } = await line.run(['admin', 'tokens'])
    const by = expect.stringMatching(/^command /)
    expect(stdout.split('\n').map((row) => row.split(/ {2,}/).map((cell) => cell.trim()))).toEqual([
      ['NAME', 'PURPOSE', 'MADE', 'USED', 'ENDS', 'MADE BY'],
      ['a', 'read', '2026-11-20T12:00:00.000Z', 'never', '2027-02-18T12:00:00.000Z', by],
      ['b', 'operate', '2026-11-20T12:00:00.000Z', 'never', 'never', by],
      ['c', 'read', '2026-11-20T12:00:00.000Z', 'never', '2026-11-21T12:00:00.000Z', by],
      [''],
    ])
  })

  test('says what it may be for, and how an end is said', async () => {
    expect((await line.run(['admin', 'token', 'a', '--purpose', 'all'])).stderr).toBe(
      'bellhop: --purpose: "all" is not one of read, send, operate, administer\n',
    )
    expect((await line.run(['admin', 'token', 'a', '--expires', '90'])).stderr).toBe(
      'bellhop: --expires: "90" is not a number of days from 1d to 3650d, or never\n',
    )
  })
})
