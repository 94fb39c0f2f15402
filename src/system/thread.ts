/** The program of a `Worker`: `path` below src. In a compiled executable files are named from its root. */
export function threadProgram(path: string): string {
  return Bun.isStandaloneExecutable ? `./${path}` : new URL(`../${path}`, import.meta.url).href
}
