import { problem } from '../../failure.ts'
import type { createPushSearch, NamedPush } from '../../push/push-search-store.ts'
import type { Problems } from '../../settings/parse.ts'
import { problems } from '../command.ts'
import type { CommandOutcome } from '../command.ts'

/** The first digits of an id are its time, 8 of them to a minute: fewer would match any push. */
const MIN_PART = 8

/** The push that an id, or the beginning of one, names; `data` is where it is looked for. */
export function resolvePush(
  search: ReturnType<typeof createPushSearch>,
  given: string,
  data: string,
  /** What says it: `--after: `; default a word. */
  flag = '',
): { readonly kind: 'one'; readonly push: NamedPush } | Problems | Extract<CommandOutcome, { kind: 'problem' }> {
  const id = given.toLowerCase().replace(/(…|\.\.\.)$/, '')
  if (!/^[0-9a-f-]{8,36}$/.test(id)) {
    return problems(
      `${flag}"${given}" is not the id of a push: expected the UUID that it was answered with, or at least ${MIN_PART} characters of its beginning.`,
    )
  }
  const [first, second] = search.named(id, 2)
  if (first === undefined) {
    return problem(`There is no push ${id} in ${data}: its id is the UUID that it was answered with.`)
  }
  if (second === undefined) return { kind: 'one', push: first }
  return problem(`More than one push begins with ${id}: give more of its id.`)
}
