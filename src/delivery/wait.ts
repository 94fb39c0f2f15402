/** The one list of what a notification can wait for: in deliveries, lanes, memory, and what an operator is shown. */
export type WaitReason =
  | PauseReason
  | 'no-credential'
  /** As much is in flight as the window of its lane, or the machine, has room for. */
  | 'room'
  /** Its device does not answer, or the gateway asked for time for this device alone. */
  | 'device'
  /** The next attempt is not due yet. */
  | 'retry'
  /** Recipients are still being looked for. */
  | 'audience'
  /** Recipients are being leased, or cannot be read. */
  | 'disk'

/** Why a lane pauses: its gateway refuses the credential; or cannot be reached, or asks for a pause. */
export type PauseReason = 'misconfigured' | 'unreachable'

/** Why a device is not sent to now. */
export interface Wait {
  readonly for: WaitReason
  /** Ms of service time, on disk; `null`: in memory, until there is room. */
  readonly until: number | null
  readonly says: string
}
