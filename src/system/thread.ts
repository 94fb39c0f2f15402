/** Where `new Worker` finds a program of ours: `path` below src. In the compiled program files are named from its root. */
export function threadProgram(path: string): string {
  return Bun.isStandaloneExecutable ? `./${path}` : new URL(`../${path}`, import.meta.url).href
}
