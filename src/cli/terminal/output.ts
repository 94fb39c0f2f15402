export interface Output {
  /** `false`: an earlier write has failed, so this one will too. */
  readonly write: (text: string) => boolean
  /** Waits until the reader has taken everything; the first error that kept it from doing so. */
  readonly written: () => Promise<Error | null>
}

/** From here on an error of the stream, such as a reader that has gone (EPIPE), no longer ends the process. */
export function createOutput(stream: NodeJS.WritableStream): Output {
  let failed: Error | null = null
  let last: Promise<void> = Promise.resolve()
  // Each write also reports to its own callback; unheard, the event would be thrown.
  stream.on('error', (error) => void (failed ??= error))
  return {
    write(text) {
      const { promise, resolve } = Promise.withResolvers<void>()
      stream.write(text, (error) => {
        failed ??= error ?? null
        resolve()
      })
      last = promise
      return failed === null
    },
    async written() {
      await last
      return failed
    },
  }
}
