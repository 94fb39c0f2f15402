import { join } from 'node:path'
import { median } from '../measure/process-figures.ts'
import { inRounds } from '../measure/rounds.ts'
import type { Contender } from '../measure/rounds.ts'
import type { Section } from '../report/result.ts'
import type { BenchContext } from '../setup/context.ts'
import { copyOf, deviceSet } from '../setup/device-set.ts'

/** An import from a file against a loop that only inserts. */
export async function importSection(context: BenchContext): Promise<Section> {
  const count = context.quick ? 5000 : 100_000
  const file = join(context.folder, 'devices.jsonl')
  {
    using full = copyOf(deviceSet(context.folder, count))
    await run([context.binary, 'export', 'bench', file, `--data=${full.directory}`])
  }
  const contenders: Contender[] = [
    {
      name: 'loop of INSERT',
      async run() {
        using empty = copyOf(deviceSet(context.folder, 0))
        const program = join(import.meta.dir, '../contenders/insert-loop.ts')
        const seconds = Number(await run([process.execPath, program, empty.directory, String(count)]))
        return { perSecond: count / seconds }
      },
    },
    {
      name: 'bellhop import',
      async run() {
        using empty = copyOf(deviceSet(context.folder, 0))
        const started = performance.now()
        const told = await run([context.binary, 'import', 'bench', file, '--json', `--data=${empty.directory}`])
        const seconds = (performance.now() - started) / 1000
        if (JSON.parse(told).imported !== count) throw new Error(told)
        return { perSecond: count / seconds }
      },
    },
  ]
  const rows = await inRounds(contenders, context.rounds, context.say)
  const [loop, imported] = rows.map(({ values }) => median(values['perSecond'] ?? []))
  return {
    title: 'Import',
    conditions: `${count} devices with three tags each, from the start of the command to its end, out of what \`bellhop export\` wrote; beside it a loop that inserts the same rows, in memory already, into the same tables and indexes, 1,000 a transaction.`,
    columns: [{ key: 'perSecond', label: 'rows/s', digits: 0 }],
    rows,
    notes: [],
    targets: [
      {
        what: 'import, against a loop of INSERT with the same indexes',
        value: (imported ?? Number.NaN) / (loop ?? Number.NaN),
        unit: 'times',
        digits: 2,
        better: 'more',
        required: 0.5,
        aim: 0.7,
      },
    ],
  }
}

/** Standard output; standard error is printed only on failure. */
async function run(command: string[]): Promise<string> {
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(`${command.slice(0, 2).join(' ')}: ${stderr}`)
  return stdout
}
