import { createAdminLogStore } from '../../admin/admin-log-store.ts'
import type { AdminLogEntry, AuditFilter } from '../../admin/admin-log-store.ts'
import { auditCsv, auditJson, auditMoreText } from '../../admin/audit-text.ts'
import { createApplicationStore } from '../../application/application-store.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { isoTime } from '../../text/format.ts'
import { done, FINE, problems } from '../command.ts'
import type { CheckArguments, CommandContext, ParsedArguments, RunOnData } from '../command.ts'
import { timeGiven, notAMoment } from '../moment-flag.ts'
import { findApplication } from '../find-application.ts'
import { styleOf } from '../terminal/style.ts'
import { tableText } from '../terminal/table-text.ts'

const SHOWN = 50

const CHUNK = 64 * 1024

export const check: CheckArguments = ({ flags }, { clock }) => {
  const wrong = ['since', 'until'].flatMap((name) => {
    const text = flags.get(name)
    return text === undefined || timeGiven(text, clock.now()) !== null ? [] : [notAMoment(name, text)]
  })
  return wrong.length > 0 ? problems(...wrong) : FINE
}

export const run: RunOnData = async ({ words: [app], flags }, world) => {
  const { clock } = world
  const found = app === undefined ? null : findApplication(app, world)
  // A deleted application still has entries, under its id.
  if (found?.kind === 'problem' && !app?.startsWith('app_')) return found
  const subject = found?.kind === 'found' ? found.application.id : app
  const log = createAdminLogStore(world)
  const limit = flags.get('limit')
  const isAll = (flags.has('json') || flags.has('csv')) && limit === undefined
  const most = isAll ? Number.MAX_SAFE_INTEGER : Number(limit ?? SHOWN)
  const entries = log.entries(filterIn(flags, subject, clock.now())).take(most)
  if (flags.has('csv')) return print(auditCsv(entries).map(harmless), world)
  if (flags.has('json'))
    return print(
      entries.map((entry) => jsonLine(auditJson(entry))),
      world,
    )
  const names = new Map(
    createApplicationStore(world)
      .list()
      .map(({ id, name }) => [id, name]),
  )
  const rows = Array.from(entries, (entry) => rowOf(entry, names))
  if (rows.length === 0) return done('No matching entries.\n')
  const lines = tableText([['WHEN', 'WHO', 'FROM', 'WHAT', 'TARGET', 'RESULT', 'MORE'], ...rows])
  return done(styleOf(world).legible(`${lines.join('\n')}\n`))
}

function filterIn(flags: ParsedArguments['flags'], subject: string | undefined, now: number): AuditFilter {
  const time = (name: string) => timeGiven(flags.get(name) ?? '', now) ?? undefined
  return { who: flags.get('who'), action: flags.get('action'), subject, since: time('since'), until: time('until') }
}

function harmless(line: string): string {
  return `${escapeControls(line.trimEnd())}\n`
}

async function print(pieces: Iterable<string>, { stdout, written }: CommandContext) {
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < CHUNK) continue
    if (stdout(text) === false) return done('')
    await written?.()
    text = ''
  }
  return done(text)
}

function rowOf(entry: AdminLogEntry, names: ReadonlyMap<string, string>): readonly string[] {
  const { at, who, origin, action, subject, result } = entry
  return [isoTime(at), who, origin, action, names.get(subject) ?? subject, result, auditMoreText(entry)].map(
    escapeControls,
  )
}
