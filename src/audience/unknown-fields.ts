import { failure, loggedAs, Refused } from '../failure.ts'
import { show } from '../http/fields.ts'
import { OPTION_LIST } from '../notification/options.ts'
import { nearest } from '../text/nearest.ts'
import { NARROWINGS } from './narrowings.ts'

/** Other services' names, and those of other calls of this API, for fields of a push that no list has. */
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
 * The refusal of a field that a body does not have: to ignore one that was to narrow a push would send it to everybody.
 * `elsewhere`: fields of another call, each with a sentence.
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

/** How a failure names a field that is not known: one that is long or strange is not repeated. */
export function shownName(name: string): string {
  return /^\w{1,32}$/.test(name) ? name : `A field whose name is ${show(name)}`
}

/** ` Did you mean tags?`, or what else helps. */
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

/** Without what differs from one habit to another: `exceptTags`, `except-tags`, `EXCEPT_TAGS`. */
function plain(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase()
}
