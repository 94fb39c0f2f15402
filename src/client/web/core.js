// The contract of the client libraries as pure functions: contract.md. The page and the worker run it alike.

const SECOND_MS = 1000
const DAY_MS = 86_400 * SECOND_MS
const LONGEST_WAIT_MS = 900 * SECOND_MS
const MOST_REPORTS = 200

export function begin(platform) {
  const nothing = { token: null, known: null, refused: null, wait: null }
  return { platform, ...nothing, device: {}, signOut: false, leaving: false, reports: [] }
}

/** What a state becomes. `now`: ms since 1970; `random`: in [0, 1). `tell`: what was refused, for the app's developer. */
export function step(state, event, now, random) {
  const { device, known } = state
  const reports = state.reports.filter(({ at }) => now - at < DAY_MS)
  const to = (change, tell = null) => ({ state: { ...state, reports, ...change }, tell })
  switch (event.kind) {
    case 'token': {
      const { token, keys } = event
      return to({ token, leaving: false, device: keys === undefined ? device : { ...device, keys } })
    }
    case 'set': {
      const { device: fields } = event
      if (!('user' in fields)) return to({ device: { ...device, ...fields } })
      const kept = without(device, 'user_proof')
      return to({ device: { ...kept, ...fields }, signOut: state.signOut || knowsOther(known, fields.user) })
    }
    case 'login': {
      const { user, proof } = event
      const device = { user, ...(proof !== undefined && { user_proof: proof }) }
      return step(state, { kind: 'set', device }, now)
    }
    case 'logout':
      return to({ device: without(device, 'user', 'user_proof'), signOut: state.signOut || knowsOther(known) })
    case 'report': {
      const { kind: _, ...report } = event
      return to({ reports: [...reports, { ...report, at: now }].slice(-MOST_REPORTS) })
    }
    case 'leave': {
      // Whoever comes back before the server heard of it is not the user of before.
      const signOut = state.signOut || knowsOther(known)
      return to({ leaving: true, signOut, device: without(device, 'user', 'user_proof') })
    }
    case 'answered':
      return answered({ ...state, reports }, event, now, random)
    case 'failed':
      return to({ wait: waitAfter(state, now, random) })
    case 'resume':
      return to({ wait: state.wait?.asked ? state.wait : null })
  }
}

/** The request that is due, `{ kind, path, body }`; `null`: none. */
export function next(state, now) {
  const { platform, known, token, wait } = state
  // A longer one is of a clock that has since been put back.
  if (wait !== null && now < wait.until && wait.until - now <= (wait.asked ? DAY_MS : LONGEST_WAIT_MS)) return null
  if (state.leaving) return known && { kind: 'leave', path: 'deviceToken/del', body: { token: known.token, platform } }
  if (state.signOut && known !== null) {
    const { keys } = known.body
    const body = { token: known.token, platform, ...(keys && { keys }), user: '' }
    return { kind: 'sign-out', path: 'deviceToken', body }
  }
  if (token !== null) {
    const body = bodyOf(state)
    const replaces = known !== null && known.token !== token && { replaces: known.token }
    if (!isOfToday(known, body, now) && refusalIn(state, now) === null)
      return { kind: 'register', path: 'deviceToken', body: { ...body, ...replaces } }
  }
  const [report] = state.reports
  if (report === undefined || known === null) return null
  return { kind: 'report', path: 'stats', body: { platform, token: known.token, ...without(report, 'at') } }
}

/** The refusal of what would be registered; `null`: there is none. */
export function refusalIn(state, now) {
  return isOfToday(state.refused, bodyOf(state), now) ? state.refused : null
}

const bodyOf = ({ device, token, platform }) => ({ ...device, token, platform })

const isOfToday = (said, body, now) => said !== null && isSame(said.body, body) && Math.abs(now - said.at) < DAY_MS

function answered(state, { request, status, retryAfterS, code, message }, now, random) {
  const isTaken = status >= 200 && status < 300
  const isRefused = status >= 400 && status < 500 && status !== 408 && status !== 429 && code !== undefined
  if (!isTaken && !isRefused)
    return { state: { ...state, wait: waitAfter(state, now, random, retryAfterS) }, tell: null }
  const why = isTaken ? null : { status, ...(message !== undefined && { message }) }
  const tell = why && { kind: request.kind, ...why }
  return { state: { ...state, wait: null, ...settled(state, request, why, now) }, tell }
}

/** What has changed with the last word on a request. */
function settled({ device, known, reports }, { kind, body }, why, now) {
  switch (kind) {
    case 'report':
      return { reports: reports.filter((report) => !isOf(report, body)) }
    case 'leave':
      return { known: null, refused: null, signOut: false }
    case 'sign-out':
      return { signOut: false, known: known && { ...known, body: without(known.body, 'user', 'user_proof') } }
    case 'register': {
      const said = without(body, 'replaces')
      // The token that the library before this one had is said once.
      const rest = why === null && body.replaces !== device.replaces ? device : without(device, 'replaces')
      if (why !== null) return { device: rest, refused: { body: said, at: now, ...why } }
      const accepted = { token: body.token, body: said, at: now }
      // Somebody may have signed out, or in, while it was on its way.
      return { device: rest, known: accepted, refused: null, signOut: knowsOther(accepted, device.user) }
    }
  }
}

/** Whether the server knows a user, and another one than `user`. */
function knowsOther(known, user) {
  const { user: before = '' } = known?.body ?? {}
  return before !== '' && before !== user
}

const isOf = (report, body) => ['id', 'event', 'action'].every((name) => report[name] === body[name])

function waitAfter({ wait }, now, random, retryAfterS) {
  const attempt = (wait?.attempt ?? 0) + 1
  const longest = Math.min(SECOND_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS)
  const own = (longest * (1 + random)) / 2
  const asked = Math.min((retryAfterS ?? 0) * SECOND_MS, DAY_MS)
  return { attempt, until: now + Math.round(Math.max(own, asked)), ...(asked > own && { asked: true }) }
}

function without(fields, ...names) {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}

function isSame(one, other) {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}

function sorted(value) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return (
    Object.entries(value)
      .map(([name, part]) => [name, sorted(part)])
      // Not toSorted: Hermes, the engine of React Native, has none.
      .sort(([a], [b]) => (a < b ? -1 : 1))
  )
}
