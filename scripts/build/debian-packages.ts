// Debian packages under the executable in an image, from a folder or this machine's mirror, checked against their pins.
import { existsSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { $ } from 'bun'
import { fileSha256 } from './file-sha256.ts'

/** Debian's and the OCI's names. */
export type Architecture = 'amd64' | 'arm64'

export interface DebianPackage {
  readonly name: string
  readonly version: string
  readonly architecture: Architecture
  /** Relative to the mirror. */
  readonly path: string
  /** Hex, from the Packages index, which Debian signs. */
  readonly sha256: string
}

export const DEBIAN = { version: '13', codename: 'trixie' }

/**
 * Bun is linked with glibc alone, but imports `pthread_exit`, for which glibc loads libgcc_s.so.1 and aborts without
 * it; its licence is in gcc-14-base. Bun includes certificate authorities and time zones.
 */
export const BASE_PACKAGES: readonly DebianPackage[] = [
  ...pins('libc6', '2.41-12+deb13u5', 'glibc', {
    amd64: 'b59b0625cd1a791375d40dab23a4d5d3d0641e3d0a773501becdc3725b7f99cf',
    arm64: '0966fc3da1a26cc57647c68b5736f791b6e7eb498173a7993f63b6c89b4ed4f5',
  }),
  ...pins('libgcc-s1', '14.2.0-19', 'gcc-14', {
    amd64: '3c71917b490d1a17aed43196a2787a256ecf060526cdb20216a74bedc061b150',
    arm64: '1108bc87879833d6d9a145f22a4a15cddb34e065b4b5f4b97bee586adbac2851',
  }),
  ...pins('gcc-14-base', '14.2.0-19', 'gcc-14', {
    amd64: '5b6825de4263824b78c4c51f6476414f3b4e89c2ab63e81dc8b9b5501e867cf6',
    arm64: '34ee90679b018c0e64234747a4c4c0ae6b7f63541115037465a8627c2dfbc594',
  }),
]

export type FoundPackage =
  | { readonly kind: 'found'; readonly path: string }
  /** Completes a sentence. */
  | { readonly kind: 'none'; readonly reason: string }

/** A download takes seconds; gives up on a stalled mirror. */
const DOWNLOAD_TIMEOUT_MS = 120_000

/** This machine's Debian mirror, whose paths are the same for all versions; `null`: not a Debian system. */
export async function debianMirror(): Promise<string | null> {
  if (Bun.which('apt-get') === null) return null
  const format = '$(REPO_URI)'
  const places = await $`apt-get indextargets --format ${format} 'Created-By: Packages'`.nothrow().quiet().text()
  const place = places.split('\n').find((each) => /\/debian\/?$/.test(each))
  return place?.replace(/\/$/, '') ?? null
}

/** Downloads the package into `folder` if missing, unless `mirror` is `null`. */
export async function findPackage(wanted: DebianPackage, folder: string, mirror: string | null): Promise<FoundPackage> {
  const path = join(folder, basename(wanted.path))
  if (!existsSync(path)) {
    const reason = mirror === null ? `there is no ${path}` : await download(`${mirror}/${wanted.path}`, path)
    if (reason !== null) return { kind: 'none', reason }
  }
  const sha256 = await fileSha256(path)
  if (sha256 === wanted.sha256) return { kind: 'found', path }
  return { kind: 'none', reason: `${path} is not ${wanted.name} ${wanted.version}: its SHA-256 is ${sha256}` }
}

/** Why it failed; `null`: success. */
async function download(url: string, path: string): Promise<string | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) })
    if (response.status === 404) {
      return `${url} is gone: Debian serves the newest version only. Pin that one, or use --packages with this one`
    }
    if (!response.ok) return `${url} answered ${response.status}`
    const bytes = await response.bytes()
    mkdirSync(join(path, '..'), { recursive: true })
    await Bun.write(path, bytes)
    return null
  } catch (error) {
    return `${url} could not be downloaded: ${(error as Error).message}`
  }
}

function pins(
  name: string,
  version: string,
  source: string,
  sha256: Readonly<Record<Architecture, string>>,
): readonly DebianPackage[] {
  const pool = `pool/main/${source[0]}/${source}`
  return (['amd64', 'arm64'] as const).map((architecture) => ({
    name,
    version,
    architecture,
    path: `${pool}/${name}_${version}_${architecture}.deb`,
    sha256: sha256[architecture],
  }))
}
