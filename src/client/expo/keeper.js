// Keeps the state of this phone in a file, and makes the calls that are due, one after the other.
import { Directory, File, Paths } from 'expo-file-system'
import { begin, next, step } from './core.js'

const ANSWER_MS = 30_000
/** `bellhop client` writes the release in. */
const CLIENT = 'expo/0.0.0'

/** The app group, which the notification service extension reads; without one, the app's own folder. */
function folderOf() {
  const groups = Object.entries(Paths.appleSharedContainers ?? {})
  return groups.find(([name]) => name.endsWith('.bellhop'))?.[1] ?? Paths.document
}

/** `home`: the server, without a slash at its end. `tell`: hears what was refused. */
export function createKeeper({ app, home, platform, receipts, tell }) {
  const folder = folderOf()
  // A file is not replaced in one step, and an app may be killed between: one of the two is always whole.
  const files = ['bellhop.new.json', 'bellhop.json'].map((name) => new File(folder, name))
  let state = begin(platform)
  let tap = null
  let timer = null
  let sending = null
  let saved = read()

  /** What another application, or an older version, has left is nothing. */
  async function read() {
    for (const file of [...files].reverse()) {
      const kept = file.exists ? jsonOf(await file.text()) : null
      if (kept === null) continue
      if (kept.app === app) {
        state = Object.assign(begin(platform), kept.state)
        tap = kept.tap
      }
      return
    }
  }

  function save() {
    const text = JSON.stringify({ app, home, receipts, tap, state })
    const write = async () => {
      for (const file of files) await file.write(text)
    }
    saved = saved.then(write, write)
    return saved
  }

  function happened(event) {
    const found = step(state, event, Date.now(), Math.random())
    state = found.state
    if (found.tell !== null) tell(found.tell)
  }

  async function send() {
    for (let due = next(state, Date.now()); due !== null; due = next(state, Date.now())) {
      const answer = await call(due).catch(() => null)
      happened(answer === null ? { kind: 'failed', request: due } : { ...answer, kind: 'answered', request: due })
      await save()
    }
  }

  async function call({ path, body }) {
    const ending = new AbortController()
    const tooLate = setTimeout(() => ending.abort(), ANSWER_MS)
    try {
      const answer = await fetch(`${home}/${path}`, {
        method: 'PUT',
        headers: {
          'Content-Type': 'application/json',
          'Accept-Version': '1',
          'X-SERVICE-APPID': app,
          'X-BELLHOP-CLIENT': CLIENT,
        },
        body: JSON.stringify(body),
        signal: ending.signal,
      })
      const retryAfterS = Number(answer.headers.get('retry-after') ?? Number.NaN)
      const { code, message } = jsonOf(await answer.text()) ?? {}
      return {
        status: answer.status,
        ...(retryAfterS >= 0 && { retryAfterS }),
        ...(typeof code === 'string' && { code }),
        ...(message !== undefined && { message }),
      }
    } finally {
      clearTimeout(tooLate)
    }
  }

  async function sendAll() {
    clearTimeout(timer)
    while (next(state, Date.now()) !== null) await (sending ??= send().finally(() => (sending = null)))
    clearTimeout(timer)
    const { wait } = state
    if (wait !== null) timer = setTimeout(() => void sendAll(), Math.max(wait.until - Date.now(), 0) + 1)
    return state
  }

  return {
    /** Takes the events that `choose` makes of the state, and makes all calls that are due. Resolves with the state. */
    async take(choose = (_state) => []) {
      await saved
      const events = choose(state)
      for (const event of events) happened(event)
      if (events.length > 0) await save()
      return await sendAll()
    },
    /** Whether this is another tap than the last: Android tells it again when the app is started from the recent apps. */
    async isNewTap(key) {
      await saved
      if (tap === key) return false
      tap = key
      await save()
      return true
    },
    /** Pushes whose arrival the notification service extension could not report, by their IDs. */
    async takeArrivals() {
      const arrived = new Directory(folder, 'bellhop-received')
      if (!arrived.exists) return
      await saved
      for (const file of arrived.list()) {
        happened({ kind: 'report', id: file.name, event: 'received' })
        await save()
        file.delete()
      }
    },
  }
}

/** What a proxy says, and half a file, is no JSON. */
function jsonOf(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
