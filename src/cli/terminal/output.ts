export interface Output {
  /** `false`: an earlier write has failed, so this one will too. */
  readonly write: (text: string) => boolean
  /** Resolves when the reader has taken everything, with the first error. */
  readonly written: () => Promise<Error | null>
}

/** From here on, stream errors such as EPIPE don't end the process. */
export function createOutput(stream: NodeJS.WritableStream): Output {
  let failed: Error | null = null
  let last: Promise<void> = Promise.resolve()
  // Each write reports to its callback too; without a listener, the event would be thrown.
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
