import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ERASE } from '../../../src/cli/terminal/progress.ts'
import { startS3 } from '../../support/s3-service.ts'
import { commandLine } from '../command-line.ts'

const SOURCE = join(import.meta.dir, '../../../src')

/** Shown by a process whose thread is busy until the file `seen` exists. */
async function shownWhileBusy(terminal: string, step: string, awaited: RegExp): Promise<string> {
  using line = commandLine()
  const seen = join(line.data, 'seen')
  line.file('copy', 'x'.repeat(430_000))
  const script = line.file(
    'busy.ts',
    `import { existsSync, readFileSync } from 'node:fs'
     import { createWatch } from '${SOURCE}/cli/terminal/gauge.ts'
     const surroundings = { terminal: ${terminal}, clock: { now: Date.now }, stderr: (text) => process.stderr.write(text) }
     const watch = createWatch(surroundings as never, { quiet: false, minBytes: 0 })
     const into = ${JSON.stringify(join(line.data, 'copy'))}
     const result = watch.during(${step}, () => {
       while (!existsSync(${JSON.stringify(seen)})) { readFileSync(into); Bun.sleepSync(5) }
       return 'done'
     })
     process.stderr.write(result)`,
  )
  const child = Bun.spawn([process.execPath, script], { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
  let shown = ''
  for await (const chunk of child.stderr) {
    shown += new TextDecoder().decode(chunk)
    if (awaited.test(shown)) writeFileSync(seen, '')
  }
  expect(await child.exited).toBe(0)
  return shown
}

describe('what keeps the only thread busy', () => {
  test('is shown by another one: how much of a copy is written, as a bar', async () => {
    const shown = await shownWhileBusy('{ columns: 80 }', '{ into, size: 1_000_000 }', /43 % \[#+-+\] 0\.4 of 1 MB/)
    expect(shown).toEndWith(`${ERASE}done`)
  })

  test('is shown by how much is read, where it is a check', async () => {
    const shown = await shownWhileBusy(
      '{ columns: 80 }',
      '{ into: null, size: 1_000_000 }',
      /[1-9][\d.]* MB.*, read for the check/,
    )
    expect(shown).toEndWith('done')
  })
})

describe('what comes from a bucket or goes there', () => {
  test('is shown while somebody watches, and not with --json', async () => {
    using line = commandLine()
    await using s3 = startS3()
    await line.run(['app', 'create', 'Shop'])
    const on = { terminal: { columns: 80 } }
    const to = 's3://backups/shop/a.db'
    const up = await line.run(['backup', to], s3.env, on)
    expect(up.stderr.replaceAll(ERASE, '|')).toMatch(/^\| {2}0 % \[-+\] 0 of 0\.\d MB\|$/)
    const down = await line.run(['backup', 'verify', to], s3.env, on)
    expect(down.stderr.replaceAll(ERASE, '|')).toMatch(/^\|.* of 0\.\d MB\|$/)
    expect(await line.run(['backup', 's3://backups/shop/b.db', '--json'], s3.env, on)).toMatchObject({ stderr: '' })
    expect(await line.run(['backup', 's3://backups/shop/c.db'], s3.env)).toMatchObject({ stderr: '' })
  })
})
