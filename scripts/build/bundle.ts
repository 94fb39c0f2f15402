/** What is compiled, and how, for whatever platform. */
export const BUNDLE = {
  // All but the first are threads (`src/system/thread.ts`).
  entrypoints: ['src/main.ts', 'src/cli/terminal/gauge-worker.ts', 'src/database/checkpoint-worker.ts'],
  target: 'bun',
  format: 'esm',
  // Not identifiers: Elysia reads the text of its handlers.
  minify: { whitespace: true, syntax: true, identifiers: false },
  define: { 'process.env.NODE_ENV': '"production"' },
  metafile: true,
} satisfies Bun.BuildConfig

/** What got into the bundle: nothing of it is written. */
export async function bundledFiles(): Promise<Bun.BuildMetafile> {
  return metafileOf(await Bun.build(BUNDLE))
}

export function metafileOf({ metafile }: Bun.BuildOutput): Bun.BuildMetafile {
  if (metafile === undefined) throw new Error('Bun told nothing of what is in the bundle')
  return metafile
}
