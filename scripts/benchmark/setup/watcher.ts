interface Watched {
  readonly adminUrl: string
  /** Of the admin API. */
  readonly token: string
  /** The push's id. */
  readonly push: string
  /** Hears of each piece of the stream, and of each overview. */
  readonly onTold: () => void
}

const OVERVIEW_MS = 3000

/** Looks on as an open dashboard does, until disposed: follows a push, and asks for the overview every few seconds. */
export function startWatcher({ adminUrl, token, push, onTold }: Watched): AsyncDisposable {
  const stop = new AbortController()
  const { signal } = stop
  const headers = { authorization: `Bearer ${token}` }
  const open = async (path: string) => {
    const response = await fetch(adminUrl + path, { headers, signal })
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`)
    return response
  }

  async function follow(): Promise<void> {
    const { body } = await open(`/api/pushes/${push}/live`)
    for await (const _ of body ?? []) onTold()
  }

  async function askAgainAndAgain(): Promise<void> {
    while (!signal.aborted) {
      await (await open('/api/overview')).json()
      onTold()
      await Bun.sleep(OVERVIEW_MS)
    }
  }

  const both = Promise.all([follow(), askAgainAndAgain()]).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await both
    },
  }
}
