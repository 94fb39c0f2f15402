/** Everything a notification can wait for. */
export type WaitReason =
  | PauseReason
  | 'no-credential'
  /** As much is in flight as its lane's window, or the machine, has room for. */
  | 'room'
  /** The device does not answer, or the gateway asked for time for it alone. */
  | 'device'
  | 'retry'
  | 'audience'
  /** Recipients are being leased, or cannot be read. */
  | 'disk'

/** The gateway refuses the credential; it cannot be reached, or asks for a pause. */
export type PauseReason = 'misconfigured' | 'unreachable'

export interface Wait {
  readonly for: WaitReason
  /** On disk; `null`: in memory, until there is room. */
  readonly until: number | null
  readonly says: string
}
