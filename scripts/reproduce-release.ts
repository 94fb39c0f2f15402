// Whether a release depends on where, when and by whom it is built: builds the last commit twice, in two clones and
// environments, compares every byte, and checks sums and signatures. Takes the arguments of scripts/release, with
// absolute paths.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { $ } from 'bun'

const folder = mkdtempSync(join(tmpdir(), 'bellhop-reproduce-release-'))
try {
  const keys = { secret: join(folder, 'secret.key'), public: join(folder, 'public.key') }
  await $`minisign -G -W -s ${keys.secret} -p ${keys.public}`.quiet()
  const publicKey = readFileSync(keys.public, 'utf8').split('\n')[1] ?? ''
  const address = ['--base-url', 'https://example.com/bellhop/0.1.0']
  const first = await releaseIn('first', {}, ['--sign', keys.secret, ...address])
  const elsewhere = { TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8', USER: 'somebody' }
  const second = await releaseIn('elsewhere/second', elsewhere, ['--release-key', publicKey, ...address])

  const files = readdirSync(first, { recursive: true, encoding: 'utf8' })
  const different = await $`diff -r --brief ${first} ${second}`.nothrow().quiet().text()
  const signatures = files.filter((path) => path.endsWith('.minisig')).toSorted()
  // The second one has no secret key.
  const expected = signatures.map((name) => `Only in ${first}: ${name}\n`).join('')
  if (different !== expected) throw new Error(`two releases of the same commit differ:\n${different}`)
  await $`sha256sum --check --strict --quiet SHA256SUMS`.cwd(first)
  for (const name of signatures) {
    const path = join(first, name.replace(/\.minisig$/, ''))
    console.log((await $`minisign -V -Q -P ${publicKey} -m ${path}`.text()).trim())
  }
  console.log(
    `reproduce-release: ${files.length} files are the same when made again, and ${signatures.length} signatures fit`,
  )
} finally {
  rmSync(folder, { recursive: true })
}

/** Returns its folder. */
async function releaseIn(
  name: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<string> {
  const checkout = join(folder, name)
  mkdirSync(join(checkout, '..'), { recursive: true })
  await $`git clone --quiet . ${checkout}`
  const home = join(checkout, 'home')
  mkdirSync(home)
  const child = Bun.spawn([process.execPath, 'scripts/release.ts', ...process.argv.slice(2), ...args], {
    cwd: checkout,
    env: { PATH: process.env['PATH'], HOME: home, ...env },
    stdout: 'ignore',
    stderr: 'inherit',
  })
  if ((await child.exited) !== 0) throw new Error(`no release was made in ${checkout}`)
  return join(checkout, 'dist/release')
}
