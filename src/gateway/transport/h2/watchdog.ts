/** Silent ticks before a PING: with requests in flight, and without. */
const SILENT_TICKS = { busy: 2, idle: 10 }

/** Ticks to answer a PING, and to acknowledge our settings. */
const PING_TICKS = 2
const SETTINGS_TICKS = 4

export type Alarm = 'none' | 'send ping' | 'ping unanswered' | 'settings unacknowledged'

/**
 * Whether a connection's peer is still there.
 *
 * heard → (silent) → asked by PING → (answered) → heard, or (not) → given up. Settings: sent → acknowledged, or given up
 * (RFC 9113, 6.5.3).
 */
export class Watchdog {
  #silentTicks = 0
  #pingTicks: number | null = null
  #settingsTicks: number | null = 0

  heard(): void {
    this.#silentTicks = 0
  }

  pingAnswered(): void {
    this.#pingTicks = null
  }

  settingsAcknowledged(): void {
    this.#settingsTicks = null
  }

  tick(isBusy: boolean): Alarm {
    if (this.#settingsTicks !== null && ++this.#settingsTicks > SETTINGS_TICKS) return 'settings unacknowledged'
    if (this.#pingTicks !== null) return ++this.#pingTicks > PING_TICKS ? 'ping unanswered' : 'none'
    if (++this.#silentTicks < (isBusy ? SILENT_TICKS.busy : SILENT_TICKS.idle)) return 'none'
    this.#pingTicks = 0
    return 'send ping'
  }
}
