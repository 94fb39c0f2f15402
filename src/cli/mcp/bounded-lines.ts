/** The lines of a stream, without blank ones; `null` in place of one with more than `maxBytes` bytes, which is not kept. */
export async function* boundedLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<string | null, void> {
  let parts: Uint8Array[] = []
  let bytes = 0

  function add(part: Uint8Array): void {
    bytes += part.length
    if (bytes <= maxBytes) parts.push(part)
    else parts = []
  }

  function end(): string | null {
    const line = bytes > maxBytes ? null : Buffer.concat(parts).toString()
    parts = []
    bytes = 0
    return line
  }

  for await (const chunk of chunks) {
    let rest = chunk
    for (let at = rest.indexOf(LF); at !== -1; at = rest.indexOf(LF)) {
      add(rest.subarray(0, at))
      rest = rest.subarray(at + 1)
      const line = end()
      if (line?.trim() !== '') yield line
    }
    add(rest)
  }
  const last = end()
  if (last?.trim() !== '') yield last
}

const LF = 0x0a
