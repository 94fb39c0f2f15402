// The output of `bellhop licenses`, embedded at compile time.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageId } from './packages.ts'
import type { BundledPackage } from './packages.ts'

const RULE = '-'.repeat(80)

/** Licences of Bun and of what its runtime links, for the compiling version. */
export const BUN_LICENSE = readFileSync(join(import.meta.dir, 'licenses/bun.txt'), 'utf8').trim()

export function licensesText(version: string, packages: readonly BundledPackage[]): string {
  const own = readFileSync('LICENSE', 'utf8').trim()
  const width = Math.max(...packages.map((each) => packageId(each).length))
  return [
    `Bellhop ${version}, the ${packages.length} packages inside its executable, and Bun ${Bun.version}, which runs them:\n`,
    ...packages.map((each) => `  ${packageId(each).padEnd(width)}  ${each.license}`),
    `  ${`Bun ${Bun.version}`.padEnd(width)}  MIT, with libraries under licences of their own\n`,
    section(`Bellhop ${version}`, own),
    ...packages.map((each) => section(`${packageId(each)}: ${each.license}`, each.licenseText)),
    section(`Bun ${Bun.version}: https://github.com/oven-sh/bun/blob/bun-v${Bun.version}/LICENSE.md`, BUN_LICENSE),
  ].join('\n')
}

function section(title: string, text: string): string {
  return `${RULE}\n${title}\n${RULE}\n\n${text}\n`
}
