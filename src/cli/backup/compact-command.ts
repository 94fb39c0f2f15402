import { compact } from '../../backup/compact.ts'
import { releaseReserve } from '../../database/reserve.ts'
import { inDataDirectory } from '../../database/storage-errors.ts'
import { byteSize } from '../../text/byte-size.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { lasting } from '../../text/format.ts'
import { done } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { dataDirectory, noDatabaseIn } from '../data-directory.ts'
import { RELEASED } from '../open-data.ts'
import { createWatch } from '../terminal/gauge.ts'

export const run: RunCommand = async ({ flags }, context) => {
  const { clock, stderr } = context
  const found = dataDirectory(flags, context)
  if (found.kind !== 'directory') return found
  const { data } = found
  const missing = noDatabaseIn(found)
  if (missing !== null) return missing
  if (inDataDirectory(data, () => releaseReserve(data)) > 0) stderr(`bellhop: ${RELEASED}\n`)

  const startedAt = clock.now()
  const watch = createWatch(context, { quiet: flags.has('json') })
  const compacted = inDataDirectory(data, () => compact({ data, watch }))
  watch.end()
  if (compacted.kind === 'problem') return compacted
  const { database, beforeBytes, afterBytes } = compacted
  const tookMs = clock.now() - startedAt
  if (flags.has('json')) return done(jsonLine({ database, beforeBytes, afterBytes, tookMs }))
  return done(`${database}: from ${byteSize(beforeBytes)} to ${byteSize(afterBytes)} in ${lasting(tookMs)}.\n`)
}
