/* The wire format of HTTP/2 (RFC 9113). */

/** 3.4: a client's first bytes. */
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')

/** 4.1: length, type, flags, stream id. */
export const FRAME_HEAD_BYTES = 9

/** 4.2: every peer accepts this in one frame, and we accept no more. */
export const MIN_MAX_FRAME_BYTES = 16_384

/** 6. */
export const FrameType = {
  data: 0,
  headers: 1,
  priority: 2,
  resetStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

export const Flag = { ack: 0x1, endStream: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const

/** 6.5.2. */
export const SettingId = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const

/** 7. */
export const ErrorCode = {
  none: 0,
  protocol: 1,
  internal: 2,
  flowControl: 3,
  settingsTimeout: 4,
  streamClosed: 5,
  frameSize: 6,
  refusedStream: 7,
  cancel: 8,
  compression: 9,
  enhanceYourCalm: 11,
} as const

/** 6.9.1. */
export const MAX_WINDOW_BYTES = 2 ** 31 - 1

/** 6.9.2. */
export const INITIAL_WINDOW_BYTES = 65_535

/** 5.1.1: ids are 31 bits. */
export const MAX_STREAM_ID = 2 ** 31 - 1
