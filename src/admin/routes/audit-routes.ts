import { Elysia } from 'elysia'
import { invalid, show, wholeNumber } from '../../http/fields.ts'
import type { JsonSchema } from '../../http/fields.ts'
import { textStream } from '../../http/json-stream.ts'
import { adminCall } from '../admin-endpoint.ts'
import { AdminLogAnswer } from '../api-types/administrator-types.ts'
import { numberIn } from '../application-fields.ts'
import type { AuditFilter } from '../admin-log-store.ts'
import { auditCsv, auditJson } from '../audit-text.ts'
import type { AdminParts } from './admin-parts.ts'

const page = { before: wholeNumber(1, Number.MAX_SAFE_INTEGER), limit: wholeNumber(1, 500) }
const DEFAULT_PAGE = 100

const FILTERS = {
  who: 'Only entries whose actor contains this, such as `token ci`.',
  action: 'Only this action, such as `rotate secret`.',
  application: 'Only entries about this application ID.',
  since: 'Only entries since this time, such as 2026-12-24T09:00:00Z.',
  until: 'Entries before then.',
}

const EXPORTED: JsonSchema = { type: 'string', description: 'JSON Lines, or with `format=csv` comma-separated values.' }

const ONE_AFTER_THE_OTHER = { open: '', between: '', close: '' }

type Query = Readonly<Record<string, string | undefined>>

export function auditRoutes({ gate, log }: AdminParts) {
  return new Elysia({ name: 'audit-routes' })
    .use(gate)
    .get(
      '/api/log',
      ({ query }): AdminLogAnswer => {
        const before = numberIn(query, 'before', page.before, Number.MAX_SAFE_INTEGER)
        const limit = numberIn(query, 'limit', page.limit, DEFAULT_PAGE)
        const entries = log.page(before, limit, filterIn(query))
        return {
          entries: entries.map(auditJson),
          next: entries.length < limit ? null : (entries.at(-1)?.number ?? null),
        }
      },
      adminCall('Administrators', 'The audit log, newest first', {
        answer: AdminLogAnswer,
        query: {
          ...FILTERS,
          before: 'The number of the page before: `next` of the answer.',
          limit: 'Maximum number of entries.',
        },
      }),
    )
    .get(
      '/api/log/export',
      ({ query }) => {
        const format = query['format'] ?? 'json'
        if (format !== 'json' && format !== 'csv') throw invalid('format', `must be json or csv, not ${show(format)}`)
        const entries = log.entries(filterIn(query))
        const lines =
          format === 'csv' ? auditCsv(entries) : entries.map((entry) => `${JSON.stringify(auditJson(entry))}\n`)
        return textStream(lines, ONE_AFTER_THE_OTHER, {
          'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
          'content-disposition': `attachment; filename="audit-log.${format === 'csv' ? 'csv' : 'jsonl'}"`,
        })
      },
      adminCall('Administrators', 'The audit log, or a part of it, as a file', {
        answer: EXPORTED,
        query: { format: '`json` (default) or `csv`.', ...FILTERS },
        contentType: 'application/x-ndjson',
      }),
    )
}

function filterIn(query: Query): AuditFilter {
  const text = (name: string) => (query[name] === '' ? undefined : query[name])
  const time = (name: string) => {
    const given = text(name)
    const at = given === undefined ? undefined : Date.parse(given)
    if (at === undefined || !Number.isNaN(at)) return at
    throw invalid(name, `must be a time such as 2026-12-24T09:00:00Z, not ${show(given)}`)
  }
  return {
    who: text('who'),
    action: text('action'),
    subject: text('application'),
    since: time('since'),
    until: time('until'),
  }
}
