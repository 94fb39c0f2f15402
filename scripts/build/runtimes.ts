// Runtimes of a release, from a folder or the registry, checked against their pins.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileSha256 } from './file-sha256.ts'
import { BUN_VERSION } from './targets.ts'
import type { ReleaseTarget } from './targets.ts'

export type FoundRuntime =
  | { readonly kind: 'found'; readonly path: string }
  /** Completes a sentence. */
  | { readonly kind: 'none'; readonly reason: string }

/** `folder`: a `node_modules`. */
export async function findRuntime(target: ReleaseTarget, folder: string): Promise<FoundRuntime> {
  const path = join(folder, target.runtimePackage, 'bin/bun')
  if (!existsSync(path)) return { kind: 'none', reason: `there is no ${path}` }
  const sha256 = await fileSha256(path)
  if (sha256 === target.runtimeSha256) return { kind: 'found', path }
  return { kind: 'none', reason: `${path} is not that of Bun ${BUN_VERSION}: its SHA-256 is ${sha256}` }
}

/**
 * The same, installed into `folder/node_modules` if missing. Bun checks the archive against the registry's hash; no
 * package scripts run.
 */
export async function fetchRuntime(
  target: ReleaseTarget,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<FoundRuntime> {
  const packages = join(folder, 'node_modules')
  if (!existsSync(join(packages, target.runtimePackage, 'bin/bun'))) {
    const reason = await install(`${target.runtimePackage}@${BUN_VERSION}`, folder, env)
    if (reason !== null) return { kind: 'none', reason }
  }
  return findRuntime(target, packages)
}

/** Why it failed; `null`: success. */
async function install(
  name: string,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  mkdirSync(folder, { recursive: true })
  // Without it, the package would be added to the checkout.
  const manifest = join(folder, 'package.json')
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n')
  // For any platform.
  const anywhere = ['--os=*', '--cpu=*', '--libc=*']
  const child = Bun.spawn(
    [process.execPath, 'add', '--exact', '--ignore-scripts', '--no-progress', ...anywhere, name],
    {
      cwd: folder,
      env,
      stdout: 'ignore',
      stderr: 'pipe',
    },
  )
  const said = await new Response(child.stderr).text()
  if ((await child.exited) === 0) return null
  const errors = said.split('\n').flatMap((line) => /^error: (.+)/.exec(Bun.stripANSI(line))?.[1] ?? [])
  return `${name} could not be installed: ${errors.length === 0 ? said.trim() : errors.join('; ')}`
}
