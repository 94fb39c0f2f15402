import { ErrorCode, INITIAL_WINDOW_BYTES, MAX_WINDOW_BYTES, MIN_MAX_FRAME_BYTES, SettingId } from './frames.ts'
import { DEFAULT_TABLE_BYTES } from './header-table.ts'

/** A peer's settings (RFC 9113, 6.5.2). */
export interface PeerSettings {
  readonly headerTableBytes: number
  readonly maxConcurrentStreams: number
  readonly initialWindowBytes: number
  readonly maxFrameBytes: number
  readonly maxHeaderListBytes: number
}

export const INITIAL_SETTINGS: PeerSettings = {
  headerTableBytes: DEFAULT_TABLE_BYTES,
  maxConcurrentStreams: Number.POSITIVE_INFINITY,
  initialWindowBytes: INITIAL_WINDOW_BYTES,
  maxFrameBytes: MIN_MAX_FRAME_BYTES,
  maxHeaderListBytes: Number.POSITIVE_INFINITY,
}

/** `known` updated by a SETTINGS frame, or an error code. */
export function readPeerSettings(known: PeerSettings, payload: Buffer): PeerSettings | number {
  if (payload.length % 6 !== 0) return ErrorCode.frameSize
  const settings: { -readonly [Name in keyof PeerSettings]: PeerSettings[Name] } = { ...known }
  for (let at = 0; at < payload.length; at += 6) {
    const value = payload.readUInt32BE(at + 2)
    switch (payload.readUInt16BE(at)) {
      case SettingId.headerTableSize:
        settings.headerTableBytes = value
        break
      case SettingId.enablePush:
        // 6.5.2: a server must not enable push.
        if (value !== 0) return ErrorCode.protocol
        break
      case SettingId.maxConcurrentStreams:
        settings.maxConcurrentStreams = value
        break
      case SettingId.initialWindowSize:
        if (value > MAX_WINDOW_BYTES) return ErrorCode.flowControl
        settings.initialWindowBytes = value
        break
      case SettingId.maxFrameSize:
        if (value < MIN_MAX_FRAME_BYTES || value >= 2 ** 24) return ErrorCode.protocol
        settings.maxFrameBytes = value
        break
      case SettingId.maxHeaderListSize:
        settings.maxHeaderListBytes = value
        break
      default:
      // 6.5.2: unknown settings are ignored.
    }
  }
  return settings
}
