import { createApplicationStore } from '../../application/application-store.ts'
import type { Application } from '../../application/application.ts'
import { DAY_MS } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import { createDeviceSearch } from '../../device/device-search-store.ts'
import { PLATFORMS } from '../../platform.ts'
import { createTallyReader } from '../../stats/tally-store.ts'
import { createLanguageDays } from '../../stats/receipt-count-store.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { done } from '../command.ts'
import type { RunOnData } from '../command.ts'
import { findApplication } from '../find-application.ts'
import { styleOf } from '../terminal/style.ts'
import { statsJson, statsText } from './stats-text.ts'
import type { ApplicationStats } from './stats-text.ts'

const DEFAULT_DAYS = 14

const GONE_DAYS = 30

export const run: RunOnData = async ({ words: [app], flags }, world) => {
  const days = Number(flags.get('days') ?? DEFAULT_DAYS)
  const { database, clock } = world
  let applications: readonly Application[]
  if (app === undefined) applications = createApplicationStore(world).list()
  else {
    const found = findApplication(app, world)
    if (found.kind !== 'found') return found
    applications = [found.application]
  }

  const last = Math.floor(clock.now() / DAY_MS)
  const stats = applications.map((one) => statsOf(database, one, { first: last - days + 1, last }, clock.now()))
  if (flags.has('json')) return done(stats.map((one) => jsonLine(statsJson(one))).join(''))
  return done(statsText(stats, styleOf(world)))
}

function statsOf(
  database: Database,
  { number, id, name }: Application,
  { first, last }: { readonly first: number; readonly last: number },
  now: number,
): ApplicationStats {
  const search = createDeviceSearch({ database })
  const known = new Map(
    createTallyReader({ database })
      .days(number, first, last)
      .map((day) => [day.day, day]),
  )
  const all = Array.from({ length: last - first + 1 }, (_, at) => first + at)
  return {
    id,
    name,
    days: all.map((day) => known.get(day) ?? { day, t: 0, s: 0, o: 0, received: 0 }),
    languages: createLanguageDays({ database }).days(number, first, last),
    devices: search.counts(number, PLATFORMS),
    gone: search.goneSince(number, now - GONE_DAYS * DAY_MS),
  }
}
