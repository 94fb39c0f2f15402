const CHUNK_CHARACTERS = 64 * 1024

/**
 * A JSON array of its items' texts. The generator runs only when the socket has room, so memory does not grow with the
 * list. A short list is sent at once, with its length.
 */
export function jsonArray(items: Generator<string>): Response {
  return textStream(items, { open: '[', between: ',', close: ']' }, { 'content-type': 'application/json' })
}

export function textStream(
  items: Iterator<string, unknown>,
  { open, between, close }: { readonly open: string; readonly between: string; readonly close: string },
  headers: Record<string, string>,
): Response {
  const encoder = new TextEncoder()
  let separator = ''
  let ended = false

  function read(chunk: string): string {
    let text = chunk
    while (text.length < CHUNK_CHARACTERS) {
      const next = items.next()
      if (next.done) {
        ended = true
        return text + close
      }
      text += separator + next.value
      separator = between
    }
    return text
  }

  // Before the status is sent, so that an error can still be answered as a failure.
  const first = read(open)
  if (ended) return new Response(first, { headers })
  let ahead: string | null = first
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(encoder.encode(ahead ?? read('')))
        ahead = null
        if (ended) controller.close()
      },
      cancel() {
        items.return?.(undefined)
      },
    },
    { highWaterMark: 1 },
  )
  return new Response(body, { headers })
}
