// Writes an image for Docker, Podman and Kubernetes without them: an OCI image layout
// (https://github.com/opencontainers/image-spec/blob/v1.1.0/image-layout.md), and the same as a tar. The same inputs
// give the same bytes.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { $ } from 'bun'
import type { Commit } from './commit.ts'
import { DEBIAN } from './debian-packages.ts'
import type { Architecture } from './debian-packages.ts'

export interface ImagePlatform {
  readonly architecture: Architecture
  /** Paths of the executable and the packages under it. */
  readonly executable: string
  readonly packages: readonly string[]
}

interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  /** Bytes. */
  readonly size: number
}

interface Layer {
  readonly descriptor: Descriptor
  /** Digest of the uncompressed tar. */
  readonly diffId: string
  /** Shown in the image's history. */
  readonly from: string
}

/** The user of distroless images, too. */
const NONROOT = 65532

const NANOSECONDS = 1_000_000_000

/** As in `scripts/docker/Dockerfile`. The OCI has no health check: engines that read Docker's field run it. */
export const IMAGE_CONFIG = {
  User: `${NONROOT}:${NONROOT}`,
  ExposedPorts: { '8790/tcp': {} },
  Env: ['PATH=/usr/local/bin', 'BELLHOP_LISTEN=0.0.0.0:8790', 'BELLHOP_DATA=/data'],
  Entrypoint: ['/usr/local/bin/bellhop'],
  Cmd: ['serve'],
  Volumes: { '/data': {} },
  WorkingDir: '/',
  Healthcheck: {
    Test: ['CMD', '/usr/local/bin/bellhop', 'health'],
    Interval: 30 * NANOSECONDS,
    Timeout: 6 * NANOSECONDS,
    StartPeriod: 300 * NANOSECONDS,
    Retries: 3,
  },
}

const FILES: Readonly<Record<string, string>> = {
  'etc/passwd': `root:x:0:0:root:/:/sbin/nologin\nnonroot:x:${NONROOT}:${NONROOT}:nonroot:/data:/sbin/nologin\n`,
  'etc/group': `root:x:0:\nnonroot:x:${NONROOT}:\n`,
  'etc/nsswitch.conf': 'hosts: files dns\n',
  // Read by vulnerability scanners, like /var/lib/dpkg/status.d.
  'etc/os-release': `NAME="Debian GNU/Linux"\nID=debian\nVERSION_ID="${DEBIAN.version}"\nVERSION_CODENAME=${DEBIAN.codename}\n`,
}

/** Writes `folder` and `folder`.tar. Throws with the output of a failed `dpkg-deb` or GNU tar. */
export async function writeImage(
  folder: string,
  version: string,
  commit: Commit,
  platforms: readonly ImagePlatform[],
): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'bellhop-image-'))
  try {
    const manifests = []
    for (const platform of platforms) {
      const { architecture } = platform
      const root = join(work, architecture)
      const layers = [
        await baseLayer(folder, root, platform),
        await programLayer(folder, `${root}-program`, platform, commit),
      ]
      const manifest = await writeManifest(folder, version, commit, architecture, layers)
      manifests.push({ ...manifest, platform: { architecture, os: 'linux' } })
    }
    const mediaType = 'application/vnd.oci.image.index.v1+json'
    const platformIndex = { schemaVersion: 2, mediaType, manifests, annotations: annotations(version, commit) }
    const image = {
      ...(await writeJson(folder, mediaType, platformIndex)),
      annotations: { [`${PREFIX}.ref.name`]: version },
    }
    await Bun.write(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, mediaType, manifests: [image] }))
    await Bun.write(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }))
    await tar(`${folder}.tar`, folder, readdirSync(folder), { owner: 0, mode: READABLE, atMs: commit.atMs })
  } finally {
    rmSync(work, { recursive: true })
  }
}

/** Debian's libraries with licences, users and empty folders. All times are 0, so that releases share the layer. */
async function baseLayer(folder: string, root: string, { architecture, packages }: ImagePlatform): Promise<Layer> {
  const statuses = join(root, 'var/lib/dpkg/status.d')
  mkdirSync(statuses, { recursive: true })
  const left = ['*/gconv', '*.gz', './usr/share/lintian', './etc'].map((pattern) => `--exclude=${pattern}`)
  for (const path of packages) {
    await $`dpkg-deb --fsys-tarfile ${path} | tar --extract --directory ${root} ${left}`.quiet()
    const status = await $`dpkg-deb --field ${path}`.quiet().text()
    await Bun.write(join(statuses, basename(path).split('_')[0] ?? ''), status)
  }
  for (const name of ['lib', 'lib64']) {
    if (existsSync(join(root, 'usr', name))) symlinkSync(`usr/${name}`, join(root, name))
  }
  for (const [path, text] of Object.entries(FILES)) await Bun.write(join(root, path), text)
  const system = readdirSync(root)
  for (const name of ['data', 'dev', 'proc', 'sys', 'tmp']) mkdirSync(join(root, name))
  const file = `${root}.tar`
  await tar(file, root, [...system, 'dev', 'proc', 'sys'], { owner: 0, mode: READABLE, atMs: 0 })
  await tar(file, root, ['tmp'], { owner: 0, mode: '1777', atMs: 0 })
  await tar(file, root, ['data'], { owner: NONROOT, mode: '700', atMs: 0 })
  const names = packages.map((path) => basename(path, `_${architecture}.deb`)).join(', ')
  return writeLayer(folder, file, `Debian ${DEBIAN.version}: ${names}`)
}

async function programLayer(
  folder: string,
  root: string,
  { executable }: ImagePlatform,
  { atMs }: Commit,
): Promise<Layer> {
  const path = join(root, 'usr/local/bin/bellhop')
  mkdirSync(dirname(path), { recursive: true })
  cpSync(executable, path)
  const file = `${root}.tar`
  await tar(file, root, ['usr'], { owner: 0, mode: READABLE, atMs })
  return writeLayer(folder, file, basename(executable))
}

interface Members {
  /** User and group. */
  readonly owner: number
  readonly mode: string
  readonly atMs: number
}

/** Independent of the umask; keeps execute bits. */
const READABLE = 'u+rw,go+r,go-w,a+X'

/**
 * Appends `names` of `folder` to the tar `file`, created if missing. The same members give the same bytes for every
 * user.
 */
async function tar(file: string, folder: string, names: readonly string[], members: Members): Promise<void> {
  const { owner, mode, atMs } = members
  const owners = [`--owner=${owner}`, `--group=${owner}`, '--numeric-owner', `--mode=${mode}`]
  const same = ['--format=ustar', '--sort=name', `--mtime=@${atMs / 1000}`, ...owners]
  await $`tar --append --file ${file} ${same} --directory ${folder} ${names.toSorted()}`.env(C_LOCALE).quiet()
}

const C_LOCALE = { PATH: process.env['PATH'], LC_ALL: 'C' }

async function writeLayer(folder: string, file: string, from: string): Promise<Layer> {
  const bytes = await Bun.file(file).bytes()
  rmSync(file)
  const type = 'application/vnd.oci.image.layer.v1.tar+gzip'
  // Unlike zlib, libdeflate has the same output on all processors.
  const descriptor = await writeBlob(folder, type, Bun.gzipSync(bytes, { library: 'libdeflate', level: 9 }))
  return { descriptor, diffId: digestOf(bytes), from }
}

async function writeManifest(
  folder: string,
  version: string,
  commit: Commit,
  architecture: Architecture,
  layers: readonly Layer[],
): Promise<Descriptor> {
  const created = new Date(commit.atMs).toISOString()
  const labels = annotations(version, commit)
  const config = await writeJson(folder, 'application/vnd.oci.image.config.v1+json', {
    created,
    architecture,
    os: 'linux',
    config: { ...IMAGE_CONFIG, Labels: labels },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ from }) => ({ created, created_by: from })),
  })
  const mediaType = 'application/vnd.oci.image.manifest.v1+json'
  const descriptors = layers.map(({ descriptor }) => descriptor)
  return writeJson(folder, mediaType, { schemaVersion: 2, mediaType, config, layers: descriptors, annotations: labels })
}

const PREFIX = 'org.opencontainers.image'

function annotations(version: string, { hash, atMs }: Commit): Readonly<Record<string, string>> {
  return {
    [`${PREFIX}.title`]: 'bellhop',
    [`${PREFIX}.version`]: version,
    [`${PREFIX}.revision`]: hash,
    [`${PREFIX}.created`]: new Date(atMs).toISOString(),
    [`${PREFIX}.licenses`]: 'MIT',
  }
}

function writeJson(folder: string, mediaType: string, value: unknown): Promise<Descriptor> {
  return writeBlob(folder, mediaType, Buffer.from(JSON.stringify(value)))
}

async function writeBlob(folder: string, mediaType: string, bytes: Uint8Array<ArrayBuffer>): Promise<Descriptor> {
  const digest = digestOf(bytes)
  await Bun.write(join(folder, 'blobs', digest.replace(':', '/')), bytes)
  return { mediaType, digest, size: bytes.length }
}

function digestOf(bytes: Uint8Array<ArrayBuffer>): string {
  return `sha256:${new Bun.CryptoHasher('sha256').update(bytes).digest('hex')}`
}
