/**
 * Everything that a notification can wait for: the one list of it, for deliveries, lanes, what is loaded and what an
 * operator is shown.
 */
export type WaitReason =
  | PauseReason
  /** The application has no credential for the platform. */
  | 'no-credential'
  /** As much is in flight as the window of its lane, or the machine, has room for. */
  | 'room'
  /** Its device: it does not answer, or its gateway asked for time for this device alone. */
  | 'device'
  /** Another attempt, which is not due yet. */
  | 'retry'
  /** Recipients are still being looked for in the audience. */
  | 'audience'
  /** The disk: recipients are being leased, or cannot be read. */
  | 'disk'

/** Why a lane pauses: its gateway refuses the credential; or cannot be reached, or asks for a pause. */
export type PauseReason = 'misconfigured' | 'unreachable'

/** What a device that is not sent to now waits for. */
export interface Wait {
  readonly for: WaitReason
  /** Ms of service time, on disk; `null`: in memory, until there is room. */
  readonly until: number | null
  /** For callers. */
  readonly says: string
}
