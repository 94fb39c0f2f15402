// Release targets and their runtimes.

/** Compiles, and is embedded: bytecode is only valid for the version that wrote it. */
export const BUN_VERSION = '1.4.5'

export interface ReleaseTarget {
  /** Bun's name for it, and the executable's suffix: `linux-arm64-musl`. */
  readonly name: string
  /** npm package with the runtime, as `bin/bun`. */
  readonly runtimePackage: string
  /** SHA-256 of that file, in hex. Renew it with the Bun version, from packages installed by a lock file. */
  readonly runtimeSha256: string
  /** Expected header of an executable (`executable-header.ts`). */
  readonly header: string
}

export const RELEASE_TARGETS: readonly ReleaseTarget[] = [
  {
    name: 'linux-x64',
    runtimePackage: '@oven/bun-linux-x64',
    runtimeSha256: 'f05d28a3862f4b84395c7fa32480b835dd47482e80b7e7a49a115227f0c06083',
    header: 'ELF x64 /lib64/ld-linux-x86-64.so.2',
  },
  {
    name: 'linux-arm64',
    runtimePackage: '@oven/bun-linux-aarch64',
    runtimeSha256: '04778f1f42399a69d086853e9c7af4acf574b2f21a43d0dc673853d8b84a2923',
    header: 'ELF arm64 /lib/ld-linux-aarch64.so.1',
  },
  {
    name: 'linux-x64-musl',
    runtimePackage: '@oven/bun-linux-x64-musl',
    runtimeSha256: 'cf5d285ddbe256785a5121a3c113191a6b577504976374c7cfd5aedca609b720',
    header: 'ELF x64 /lib/ld-musl-x86_64.so.1',
  },
  {
    name: 'linux-arm64-musl',
    runtimePackage: '@oven/bun-linux-aarch64-musl',
    runtimeSha256: '9c48986093073afec8b76a3e285303598dd2462f52748aecb65e4d94866e1ea3',
    header: 'ELF arm64 /lib/ld-musl-aarch64.so.1',
  },
  {
    name: 'darwin-arm64',
    runtimePackage: '@oven/bun-darwin-aarch64',
    runtimeSha256: 'e2984124f1514e1e6bbda20adedbf07a02c443c6a5828853a15c7c7abf78e19f',
    header: 'Mach-O arm64',
  },
]

/** Targets in the image, with the OCI's name. */
export const IMAGE_TARGETS = [
  { name: 'linux-x64', architecture: 'amd64' },
  { name: 'linux-arm64', architecture: 'arm64' },
] as const
