import { failure, loggedAs, Refused } from '../failure.ts'
import { show } from '../http/fields.ts'
import { OPTION_LIST } from '../notification/options.ts'
import { nearest } from '../text/nearest.ts'
import { NARROWINGS } from './narrowings.ts'

/** Names in other services, and in other calls of this API. */
const COUNTERPARTS = {
  send_at: 'schedule scheduleTime scheduledAt scheduledTime sendAfter deliverAt pushTime',
  token:
    'tokens to deviceToken deviceTokens registrationId registrationIds pushToken includePlayerIds includeSubscriptionIds',
}

const MEANT: ReadonlyMap<string, string> = new Map(
  [
    ...Object.entries(COUNTERPARTS),
    ...[...Object.entries(NARROWINGS), ...OPTION_LIST].map(([name, { alsoCalled }]) => [name, alsoCalled] as const),
  ].flatMap(([field, names]) => names?.split(' ').map((name) => [plain(name), field] as const) ?? []),
)

/**
 * Ignoring an unknown field that should narrow a push would send it to everybody. `elsewhere`: fields of another call,
 * each with a sentence.
 */
export function unknownField(
  name: string,
  known: readonly string[],
  elsewhere: Readonly<Record<string, string>> = {},
): Refused {
  const sentence = Object.hasOwn(elsewhere, name)
    ? `${name} ${elsewhere[name]}.`
    : `${shownName(name)} is not known here.${hintAt(name, known, elsewhere)}`
  const logged = Object.hasOwn(elsewhere, name)
    ? sentence
    : `A field is not known here.${hintAt(name, known, elsewhere)}`
  return new Refused(loggedAs(failure('InvalidArgument', sentence), logged))
}

/** A long or strange name is not repeated. */
export function shownName(name: string): string {
  return /^\w{1,32}$/.test(name) ? name : `A field whose name is ${show(name)}`
}

/** ` Did you mean tags?`, or another hint. */
export function hintAt(
  name: string,
  known: readonly string[],
  elsewhere: Readonly<Record<string, string>> = {},
): string {
  const names = [...known, ...Object.keys(elsewhere)]
  const word = plain(name)
  const same = names.find((one) => plain(one) === word)
  const meant = [same, MEANT.get(word), nearest(name, names)].find((one) => one && names.includes(one))
  if (!meant) return ` Known are ${known.join(', ')}.`
  return Object.hasOwn(elsewhere, meant) ? ` ${meant} ${elsewhere[meant]}.` : ` Did you mean ${meant}?`
}

/** Ignores spelling habits: `exceptTags`, `except-tags`, `EXCEPT_TAGS`. */
function plain(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase()
}
