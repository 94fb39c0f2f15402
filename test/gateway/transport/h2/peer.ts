import { Connection } from '../../../../src/gateway/transport/h2/connection.ts'
import { FrameReader } from '../../../../src/gateway/transport/h2/frame-reader.ts'
import { PREFACE } from '../../../../src/gateway/transport/h2/frames.ts'
import type { InFlight, Requested, SessionEnd } from '../../../../src/gateway/transport/session.ts'
import type { TransportRequest } from '../../../../src/gateway/transport/transport.ts'
import type { Frame } from '../../../support/frames.ts'

/** A connection without a socket, and what is heard of it. */
export interface Heard {
  readonly connection: Connection
  readonly ends: readonly SessionEnd[]
  /** Whether the peer has said what it allows. */
  readonly isGreeted: () => boolean
  readonly isOver: () => boolean
  /** Sends a request; what is heard of it is added to the array. */
  readonly send: (request: TransportRequest) => { readonly inFlight: InFlight; readonly heard: Requested[] }
}

export function openConnection(): Heard {
  const ends: SessionEnd[] = []
  let overs = 0
  let isGreeted = false
  const connection = new Connection('gateway.example', {
    onRoom: () => (isGreeted = true),
    onOutput: () => undefined,
    onEnd: (end) => ends.push(end),
    onOver: () => overs++,
  })
  return {
    connection,
    ends,
    isGreeted: () => isGreeted,
    isOver: () => {
      if (overs > 1) throw new Error(`it was over ${overs} times`)
      return overs === 1
    },
    send(request) {
      const heard: Requested[] = []
      return { heard, inFlight: connection.send(request, { onOver: (requested) => heard.push(requested) }) }
    },
  }
}

/** The frames that a client has written, its preface left out; an exception where they are none. */
export function framesOf(output: Buffer): readonly Frame[] {
  const isFirst = output.subarray(0, PREFACE.length).equals(PREFACE)
  return framesIn(isFirst ? output.subarray(PREFACE.length) : output)
}

function framesIn(bytes: Buffer): readonly Frame[] {
  const frames: Frame[] = []
  let read = 0
  const reader = new FrameReader((type, flags, id, source, start, end) => {
    frames.push({ type, flags, id, payload: Buffer.from(source.subarray(start, end)) })
    read += 9 + end - start
    return true
  })
  if (!reader.read(bytes) || read !== bytes.length) throw new Error(`no frames: ${bytes.toString('hex', read)}`)
  return frames
}
