/** About what one write to the socket should carry. */
const CHUNK_CHARACTERS = 64 * 1024

/**
 * A JSON array, made from its items' texts as the client reads it: the generator is asked for more only when the
 * socket has room, so memory does not grow with the list.
 */
export function jsonArray(items: Generator<string>): Response {
  const encoder = new TextEncoder()
  // Before the status is on its way: what fails here can still be answered as a failure.
  let next = items.next()
  let opened = false
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        let chunk = opened ? '' : '['
        let separator = opened ? ',' : ''
        opened = true
        while (chunk.length < CHUNK_CHARACTERS) {
          if (next.done) {
            controller.enqueue(encoder.encode(`${chunk}]`))
            controller.close()
            return
          }
          chunk += separator + next.value
          separator = ','
          next = items.next()
        }
        controller.enqueue(encoder.encode(chunk))
      },
      cancel() {
        items.return(undefined)
      },
    },
    { highWaterMark: 1 },
  )
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}
