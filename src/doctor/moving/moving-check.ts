import { counted, grouped, percent } from '../../text/format.ts'
import { PLATFORM } from '../../platform.ts'
import { note, ok, skipped, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'
import type { MovingCount, MovingStore, RefusalCount } from './moving-store.ts'

/* In the order of the manual's page `moving`. `id`: of the application. */

export function judgeImported(counts: readonly MovingCount[]): Finding {
  const imported = sum(counts, 'imported')
  if (imported === 0) {
    return warning(
      'No device was imported.',
      'Import the list of the old service: bellhop import APP FILE. Guides: bellhop manual moving.',
    )
  }
  return ok(`${counted(imported, 'device')} came by an import: ${byPlatform(counts, 'imported')}.`)
}

/** Share of imported devices that have registered from which the old service is no longer useful. */
const DONE = 0.9

export function judgeMoved(counts: readonly MovingCount[]): Finding {
  const [moved, waiting] = [sum(counts, 'moved'), sum(counts, 'waiting')]
  if (moved + waiting === 0) return skipped('No imported device is registered.')
  const parts = counts
    .filter((each) => each.moved + each.waiting > 0)
    .map((each) => `${PLATFORM[each.platform].name} ${grouped(each.moved)} of ${grouped(each.moved + each.waiting)}`)
  const found = `${percent(moved, moved + waiting)} of the imported devices have registered by themselves since: ${parts.join(', ')}.`
  if (moved === 0) return note(found, 'Release the app that registers here: bellhop manual moving, "Change the app".')
  if (moved / (moved + waiting) < DONE) {
    return note(found, 'The others do when the new app is opened. Until then they are sent to with the imported token.')
  }
  return note(found, 'The old service can be turned off: bellhop manual moving, "The day of the switch".')
}

const MAX_SHOWN = 4

export function judgeRefusals(counts: readonly MovingCount[], refusals: readonly RefusalCount[]): Finding {
  const refused = refusals.reduce((total, { devices }) => total + devices, 0)
  if (refused === 0) return ok('No gateway refused an imported device.')
  const reasons = refusals.slice(0, MAX_SHOWN).map(({ reason, devices }) => `${grouped(devices)} ${reason}`)
  const found = `Gateways refused ${counted(refused, 'imported device')}: ${reasons.join(', ')}.`
  if (refusals.some(({ reason }) => reason === 'SENDER_ID_MISMATCH')) {
    return warning(
      found,
      'SENDER_ID_MISMATCH: these tokens are of another Firebase project. Use a service account of the one whose Sender ID the old service had: bellhop manual credentials.',
    )
  }
  if (refused > sum(counts, 'imported') / 2) {
    return warning(found, 'So many are usually of another app or environment: bellhop manual troubleshooting.')
  }
  return ok(found)
}

export function judgeAdoption(id: string, counts: readonly MovingCount[], adopts: boolean | null): Finding {
  const [waiting, nameless] = [sum(counts, 'waiting'), sum(counts, 'nameless')]
  const rest = nameless === 0 ? '' : ` ${counted(nameless, 'waiting device has', 'waiting devices have')} no user.`
  const advice = 'For devices without a user, the app must send the old token as "replaces": bellhop manual moving.'
  if (adopts !== true && waiting > nameless) {
    return warning(
      `A registration does not replace an imported device of its user.${rest}`,
      `Phones with a new token get each push twice. Turn it on: bellhop app limits ${id} --adopt-imported.`,
    )
  }
  if (nameless > 0) return note(`A registration replaces an imported device of its user.${rest}`, advice)
  return ok(
    waiting === 0
      ? 'No imported device waits to be replaced.'
      : 'A registration replaces an imported device of its user.',
  )
}

export function judgeTwins(twins: number): Finding {
  if (twins === 0) return ok('No user has an imported device beside a new one of the same platform.')
  return warning(
    `${counted(twins, 'user has', 'users have')} an imported device beside a new one of the same platform.`,
    'If both are the same phone, it gets each push twice, until the old token is refused or the app sends it as "replaces": bellhop manual moving.',
  )
}

export function judgeBrowsers(id: string, counts: readonly MovingCount[], hasKey: boolean): Finding {
  const browsers = counts.reduce((total, each) => total + (PLATFORM[each.platform].hasKeys ? each.imported : 0), 0)
  if (browsers > 0 && hasKey) return ok(`${counted(browsers, 'browser')} came with the VAPID key they subscribed with.`)
  if (browsers > 0) {
    return warning(
      `${counted(browsers, 'browser')} came, but the application has no VAPID key.`,
      `Store the one they subscribed with: bellhop app webpush ${id} --key FILE.`,
    )
  }
  return skipped('No browser was imported.', 'They need the old VAPID key: bellhop manual from-webpush.')
}

export function judgeSent({ sent7, opened7, sent30, opened30 }: ReturnType<MovingStore['sent']>): Finding {
  if (sent30 === 0) {
    return skipped('Nothing was sent in the last 30 days.', 'Push to your own phone, by its user: bellhop help push.')
  }
  return ok(
    `Accepted in the last 7 days: ${grouped(sent7)}, opened ${grouped(opened7)}; in 30 days: ${grouped(sent30)}, opened ${grouped(opened30)}.`,
  )
}

function sum(counts: readonly MovingCount[], name: Exclude<keyof MovingCount, 'platform'>): number {
  return counts.reduce((total, count) => total + count[name], 0)
}

/** `7,000 iOS, 5,000 Android` */
function byPlatform(counts: readonly MovingCount[], name: Exclude<keyof MovingCount, 'platform'>): string {
  const parts = counts.filter((count) => count[name] > 0)
  return parts.map((count) => `${grouped(count[name])} ${PLATFORM[count.platform].name}`).join(', ')
}
