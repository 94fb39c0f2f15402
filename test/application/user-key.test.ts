import { afterEach, describe, expect, test } from 'bun:test'
import { isProof, newUserKey, proofOf } from '../../src/application/user-key.ts'
import { markdown } from '../manual/markdown-files.ts'

/** The key, the user and the proof that the manual gives to try with. */
const KEY = 'bhu_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8'
const USER = 'Zo\u00eb 17'
const PROOF = '6fa77eb811537d0f51eb9e9344d014a0dbe9d368bffd4ab7eabf1e9c1ea6a5ad'
const OTHER = 'bhu_another'
const NOW = 1_790_000_000_000

const bytes = Buffer.from(PROOF, 'hex')

describe('a user key', () => {
  test('is 256 random bits behind a prefix', () => {
    expect(newUserKey((length) => Uint8Array.from({ length }, (_, at) => at))).toBe(KEY)
  })

  test('proves a user by the HMAC-SHA256 of it, as the manual shows', () => {
    expect(Buffer.from(proofOf(KEY, USER)).toString('hex')).toBe(PROOF)
    const page = markdown('src/manual/users.md')
    for (const shown of [KEY, USER, PROOF, bytes.toString('base64url')]) expect(page).toContain(`\`${shown}\``)
  })

  test('counts by itself, and the one before it until its time is over', () => {
    const previous = { key: KEY, until: NOW }
    expect(isProof({ key: KEY, previous: null }, USER, bytes, NOW)).toBe(true)
    expect(isProof({ key: OTHER, previous }, USER, bytes, NOW - 1)).toBe(true)
    expect(isProof({ key: OTHER, previous }, USER, bytes, NOW)).toBe(false)
    expect(isProof({ key: OTHER, previous: null }, USER, bytes, NOW)).toBe(false)
    expect(isProof({ key: KEY, previous: null }, USER.normalize('NFD'), bytes, NOW)).toBe(false)
  })
})

/** Users that backends have got wrong: all of them are allowed. */
const USERS = [
  USER,
  'Zoe\u0308',
  '😀'.repeat(128),
  ' ann ',
  '"a"\\b\'c',
  '$e%s%n',
  '-n',
  '0',
  '\u2028',
  'x'.repeat(256),
]

describe('the manual', () => {
  afterEach(() => void delete process.env['USER_KEY'])

  const shown = (language: string) =>
    new RegExp(`\`\`\`${language}\\n([^]+?)\`\`\``).exec(markdown('src/manual/users.md'))?.[1] ?? ''
  const proofs = USERS.map((user) => Buffer.from(proofOf(KEY, user)).toString('hex'))

  test('shows code for TypeScript that makes the proof', async () => {
    const code = await import(`data:text/typescript;base64,${Buffer.from(shown('ts')).toString('base64')}`)
    process.env['USER_KEY'] = KEY
    expect(USERS.map((user) => code.userProof(user))).toEqual(proofs)
  })

  /** What a program prints to whom the users are arguments, a line each. */
  function printed(command: readonly string[], code: string): string[] {
    const { stdout, stderr } = Bun.spawnSync([...command, code, '--', ...USERS], {
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], USER_KEY: KEY, LANG: 'C.UTF-8' },
    })
    expect(stderr.toString()).toBe('')
    return stdout.toString().trimEnd().split('\n')
  }

  test.skipIf(Bun.which('python3') === null)('shows code for Python that makes it', () => {
    const code = `${shown('python')}\nimport sys\nfor user in sys.argv[2:]: print(user_proof(user))`
    expect(printed(['python3', '-c'], code)).toEqual(proofs)
  })

  test.skipIf(Bun.which('php') === null)('shows code for PHP that makes it', () => {
    const code = `${shown('php')}\nforeach (array_slice($argv, 1) as $user) echo user_proof($user), "\\n";`
    expect(printed(['php', '-n', '-r'], code)).toEqual(proofs)
  })
})
