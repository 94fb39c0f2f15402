import type { Clock } from '../clock.ts'

/** What starts this process and watches over it: systemd, or nothing. */
export interface ServiceManager {
  /** Reports that the service takes calls, and from then on that it is alive. */
  ready(): Promise<void>
  stopping(): void
}

interface Options {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Pick<Clock, 'after'>
  /** Called once if systemd cannot be told: it will take the service for one that hangs. */
  readonly complain: (sentence: string) => void
  /** For tests. */
  readonly open?: (path: string) => (text: string) => void
}

/** For a unit with Type=notify, and with WatchdogSec= (sd_notify(3)). */
export function createServiceManager({ env, clock, complain, open }: Options): ServiceManager {
  const path = env['NOTIFY_SOCKET'] ?? ''
  const watchdogMs = Number(env['WATCHDOG_USEC'] ?? 0) / 1000
  let send = (_text: string) => {}
  let complained = false
  let cancel = () => {}

  function tell(text: string): void {
    try {
      send(text)
    } catch (error) {
      if (!complained) complain(`cannot notify systemd ${text}: ${messageOf(error)}. Set Type=exec in the unit.`)
      complained = true
    }
  }

  function alive(): void {
    // Half of the time, as sd_watchdog_enabled(3) advises.
    cancel = clock.after(watchdogMs / 2, alive)
    tell('WATCHDOG=1')
  }

  return {
    async ready() {
      if (path === '') return
      const openSocket = open ?? (await import('./notify-socket.ts')).openNotifySocket
      let socket: typeof send | null = null
      send = (text) => (socket ??= openSocket(path))(text)
      tell('READY=1')
      if (watchdogMs > 0) alive()
    },
    stopping() {
      cancel()
      tell('STOPPING=1')
    },
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
