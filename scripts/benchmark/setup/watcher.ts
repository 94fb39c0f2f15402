interface Watched {
  readonly adminUrl: string
  /** Of the admin API. */
  readonly token: string
  /** `Application.id` */
  readonly application: string
}

const OVERVIEW_MS = 3000

/** Follows the newest push and asks for the overview every few seconds, like an open dashboard. */
export function startWatcher({ adminUrl, token, application }: Watched): AsyncDisposable {
  const stop = new AbortController()
  const { signal } = stop
  const headers = { authorization: `Bearer ${token}` }
  const open = async (path: string) => {
    const response = await fetch(adminUrl + path, { headers, signal })
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`)
    return response
  }

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      const { pushes } = (await (await open(`/api/applications/${application}/pushes?limit=1`)).json()) as {
        readonly pushes: readonly { readonly id: string }[]
      }
      const { body } = await open(`/api/pushes/${pushes[0]?.id}/live`)
      for await (const _ of body ?? []);
    }
  }

  async function askAgainAndAgain(): Promise<void> {
    while (!signal.aborted) {
      await (await open('/api/overview')).json()
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
