import { $ } from 'bun'

export interface Commit {
  /** `1a2b3c4`, with `-dirty` if files were changed; `''`: unknown. */
  readonly hash: string
  /** `2026-11-21` */
  readonly date: string
  /** In ms; 0: unknown. */
  readonly atMs: number
}

/**
 * Identifies the source, not the time of the build. Without a repository (as in an image's build) it comes from COMMIT,
 * COMMIT_DATE and SOURCE_DATE_EPOCH.
 */
export async function commitOfBuild(env: Readonly<Record<string, string | undefined>>): Promise<Commit> {
  return {
    hash: env['COMMIT'] || (await said($`git describe --always --dirty --abbrev=7 ${'--exclude=*'}`)),
    date: env['COMMIT_DATE'] || (await said($`git show --no-patch --format=%cs HEAD`)),
    atMs: Number(env['SOURCE_DATE_EPOCH'] || (await said($`git show --no-patch --format=%ct HEAD`))) * 1000,
  }
}

/** For the environment of a build elsewhere. */
export function commitVariables({ hash, date, atMs }: Commit): Readonly<Record<string, string>> {
  return { COMMIT: hash, COMMIT_DATE: date, SOURCE_DATE_EPOCH: String(atMs / 1000) }
}

async function said(command: $.ShellPromise): Promise<string> {
  return (await command.nothrow().quiet()).text().trim()
}
