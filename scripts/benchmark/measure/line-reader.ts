/** Returns the next line of a process's output; throws at its end. */
export function lineReader(stream: ReadableStream<Uint8Array>): () => Promise<string> {
  const chunks = stream[Symbol.asyncIterator]()
  const decoder = new TextDecoder()
  let text = ''
  return async () => {
    for (;;) {
      const end = text.indexOf('\n')
      if (end !== -1) {
        const line = text.slice(0, end)
        text = text.slice(end + 1)
        return line
      }
      const { value, done } = await chunks.next()
      if (done === true) throw new Error(`the process ended: ${text}`)
      text += decoder.decode(value, { stream: true })
    }
  }
}
