/** The most of an answer's body that is kept. Gateways answer with a few hundred bytes. */
export const MAX_ANSWER_BYTES = 65_536

/** Reads a body to its end, or up to MAX_ANSWER_BYTES, where the rest is given up. */
export async function readAnswerBody(response: Response): Promise<string> {
  if (response.body === null) return ''
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let room = MAX_ANSWER_BYTES
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const piece = read.value
    if (piece.byteLength > room) {
      await reader.cancel()
      return text + decoder.decode(piece.subarray(0, room))
    }
    text += decoder.decode(piece, { stream: true })
    room -= piece.byteLength
  }
  return text + decoder.decode()
}
