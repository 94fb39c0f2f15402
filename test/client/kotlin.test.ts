import { beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { directoryOfTests } from '../support/directory-of-tests.ts'
import { startService } from '../support/service.ts'
import { drive } from './drive.ts'

const root = join(import.meta.dir, '../..')
/** `bun run clients` installs it here. */
const KOTLINC = join(root, '.tools/clients/node_modules/kotlin-compiler/bin/kotlinc')
const isThere = Bun.which('java') !== null && existsSync(KOTLINC)
const inKotlin = isThere
  ? { describe, why: '' }
  : { describe: describe.skip, why: ' (bun run clients installs the compiler)' }

const folder = directoryOfTests('bellhop-kotlin')

inKotlin.describe(`the client library for Android${inKotlin.why}`, () => {
  const jar = join(folder, 'client.jar')
  const program = (name: string) => ['java', '-cp', jar, `dev.bellhop.${name}Kt`]

  beforeAll(async () => {
    const sources = [
      ...new Glob('src/client/kotlin/src/main/kotlin/**/*.kt').scanSync(root),
      ...new Glob('test/client/kotlin/**/*.kt').scanSync(root),
    ].map((path) => join(root, path))
    const { exitCode, stderr } = await Bun.$`bash ${KOTLINC} ${sources} -include-runtime -d ${jar}`.nothrow().quiet()
    expect({ exitCode, stderr: stderr.toString() }).toMatchObject({ exitCode: 0 })
  }, 300_000)

  test('holds each case of the contract', async () => {
    const { exitCode, stdout } = await Bun.$`${program('Vectors')} ${join(root, 'src/client/vectors.json')}`
      .nothrow()
      .quiet()
    expect({ exitCode, stdout: stdout.toString() }).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^(\d+) of \1 hold\n$/),
    })
  }, 60_000)

  test('registers what has changed, as JSON has it, and hears a tap once, also where Android makes its activity again', async () => {
    const { stdout } = await Bun.$`${program('App')}`.nothrow().quiet()
    const fields =
      '"active":["1"],"days":[1,2],"lat":52,"lng":13.4,"more":["a"],"platform":"1","tag":["beta"],"token":"t1"'
    expect(stdout.toString().trimEnd().split('\n')).toEqual([
      '/deviceToken {"platform":"1","token":"t1"}',
      `/deviceToken {${fields}}`,
      `/deviceToken {${fields},"user":"ann"}`,
      'tap p1 shop://p1',
      '/stats {"event":"opened","id":"p1","platform":"1","token":"t1"}',
      'tap p2 shop://p2',
      '/stats {"event":"opened","id":"p2","platform":"1","token":"t1"}',
    ])
  }, 60_000)

  test('registers, reports, moves and leaves against a server', async () => {
    await using service = await startService()
    await drive(service, program('Drive'), '1', ['android-1', 'android-2', 'unregistered:1'])
  }, 120_000)
})
