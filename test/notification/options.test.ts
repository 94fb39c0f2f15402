import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { OPTION_LIST } from '../../src/notification/options.ts'

/** The rows of the manual's table of options, by name: what each becomes at APNs, at FCM and in a browser. */
async function rowsOfManual(): Promise<ReadonlyMap<string, readonly string[]>> {
  const page = await Bun.file(join(import.meta.dir, '../../src/manual/push.md')).text()
  const rows = page.split('\n').filter((line) => line.startsWith('| `'))
  return new Map(
    rows.map((row) => {
      const [name = '', ...cells] = row.split(' | ').map((cell) => cell.replaceAll(/^\| |\|$/g, '').trim())
      return [name.replaceAll('`', ''), cells]
    }),
  )
}

test('the manual names every option, and where each gateway gets it', async () => {
  const rows = await rowsOfManual()
  const besides = OPTION_LIST.filter(([name]) => !['msg', 'sound', 'badge', 'payload'].includes(name))
  expect([...rows.keys()].toSorted()).toEqual(besides.map(([name]) => name as string).toSorted())
  for (const [name, { apns, fcm, webPush }] of besides) {
    const cells = rows.get(name) ?? []
    for (const [at, place] of [apns, fcm, webPush].entries()) {
      if (typeof place === 'string') expect(cells[at]).toContain(`\`${place}\``)
    }
  }
})
