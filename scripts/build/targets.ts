// What a release is compiled for, and the runtimes that go into it.

/** Bytecode is read only by the version that has written it: this one compiles, and this one is inside. */
export const BUN_VERSION = '1.4.5'

export interface ReleaseTarget {
  /** As Bun has it, and as the executable is called: `linux-arm64-musl`. */
  readonly name: string
  /** The package of the registry in which its runtime is, as `bin/bun`. */
  readonly runtimePackage: string
  /**
   * SHA-256 of that file, in hex. A new version of Bun needs new ones: of packages that were installed by a lock file,
   * against which their archives were held.
   */
  readonly runtimeSha256: string
  /** What an executable for it says of itself (`executable-header.ts`). */
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

/** Those that the image is made of, with the name that the OCI has for them. */
export const IMAGE_TARGETS = [
  { name: 'linux-x64', architecture: 'amd64' },
  { name: 'linux-arm64', architecture: 'arm64' },
] as const
