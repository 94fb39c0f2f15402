import type { OpenTransport, TransportAnswer } from '../../gateway/transport/transport.ts'

/** Calls `onAnswer` with each answer before the sender gets it. `startedAt`: stopwatch time of the request. */
export function hearing(
  open: OpenTransport,
  onAnswer: (answer: TransportAnswer, transport: ReturnType<OpenTransport>, startedAt: number) => void,
  stopwatch: () => number = () => 0,
): OpenTransport {
  return (origin, options) => {
    const transport = open(origin, options)
    return {
      send(request, listener) {
        const startedAt = stopwatch()
        transport.send(request, {
          onAnswer(answer) {
            onAnswer(answer, transport, startedAt)
            listener.onAnswer(answer)
          },
        })
      },
      retire: () => transport.retire(),
      get protocol() {
        return transport.protocol ?? null
      },
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    }
  }
}
