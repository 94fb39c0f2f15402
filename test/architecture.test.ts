import { describe, expect, test } from 'bun:test'
import { dirname, join, normalize } from 'node:path'

/** Who may import a package: paths below src. Type-only imports are free, since `scanImports` does not report them. */
const OWNERS: Readonly<Record<string, RegExp>> = {
  elysia: /^(http|admin)\/|-routes\.ts$/,
  '@elysiajs/swagger': /^http\/docs\.ts$/,
  'drizzle-orm': /^database\/|-(store|ledger)\.ts$/,
  'bun:sqlite': /^database\//,
  jose: /^delivery\/(apns|fcm)\/token\.ts$/,
  'http2-wrapper': /^delivery\/transport\/proxied-transport\.ts$/,
  'node-forge': /^application\/certificate-file\.ts$|^delivery\/simulator\//,
  semver: /^http\/accept-version\.ts$/,
  'swagger-ui-dist': /^http\/docs\.ts$/,
}

/** Rules without I/O: they import only each other. */
const PURE = [
  'failure.ts',
  'application/application.ts',
  'application/credential.ts',
  'device/device.ts',
  'device/place.ts',
  'device/push-token.ts',
  'push/push.ts',
  'push/near.ts',
  'push/where.ts',
  'push/match.ts',
  'push/condition.ts',
  'push/status.ts',
  'push/explain.ts',
  'push/exclusion.ts',
  'delivery/clock-fault.ts',
  'delivery/delivery.ts',
  'delivery/retry.ts',
  'delivery/verdict.ts',
  'delivery/window.ts',
  'delivery/progress.ts',
  'delivery/preview.ts',
  'delivery/apns/protocol.ts',
  'delivery/apns/render.ts',
  'delivery/apns/payload-rules.ts',
  'delivery/fcm/protocol.ts',
  'delivery/fcm/render.ts',
  'delivery/fcm/message-type.ts',
  'delivery/fcm/message-schema.ts',
  'delivery/fcm/message-rules.ts',
  'usage/token-bucket.ts',
  'usage/quota-period.ts',
  'usage/address.ts',
  'webhook/event.ts',
  'webhook/signature.ts',
  'webhook/address-guard.ts',
  'metrics/exposition.ts',
  'metrics/histogram.ts',
  'metrics/tally.ts',
  'admin/readiness.ts',
  'http/accept-version.ts',
  'http/forwarded.ts',
  'http/path-table.ts',
  'http/loose-reading.ts',
  'backup/backup-name.ts',
  'backup/destination.ts',
  'backup/bucket-problem.ts',
  'transfer/record.ts',
  'transfer/time.ts',
  'transfer/csv.ts',
  'transfer/detect.ts',
  'transfer/bellhop-lines.ts',
  'transfer/split-lines.ts',
  'transfer/split-json.ts',
  'cli/progress.ts',
  'cli/cli.ts',
  'cli/systemd-unit.ts',
  'doctor/finding.ts',
  'doctor/quantity.ts',
  'doctor/apns-finding.ts',
  'doctor/fcm-finding.ts',
  'doctor/connection-failure.ts',
  'doctor/clock-check.ts',
  'doctor/database-check.ts',
  'doctor/device-check.ts',
  'doctor/credential-check.ts',
  'doctor/certificate-check.ts',
  'doctor/push-check.ts',
  'doctor/webhook-check.ts',
  'doctor/disk-space-check.ts',
  'doctor/file-system-check.ts',
  'doctor/memory-check.ts',
  'doctor/open-files-check.ts',
  'doctor/processor-check.ts',
  'doctor/settings-check.ts',
  'cli/chart.ts',
  'cli/figures.ts',
  'cli/style.ts',
  'cli/table-text.ts',
  'byte-size.ts',
  'settings.ts',
  'settings-text.ts',
  'cli/config-text.ts',
  'cli/upgrade-text.ts',
  'cli/completion-tree.ts',
  'cli/bash-completion.ts',
  'cli/zsh-completion.ts',
  'cli/fish-completion.ts',
]

/** Pure code of a kept library, or of the runtime, that a pure file may use. */
const PURE_PACKAGES = /^(semver|node-forge|node:crypto|node:util|node:net|node:buffer)$/

/** The nouns. What one of them stores, no other reads behind its back. */
const NOUNS = ['application', 'device', 'push', 'usage', 'stats', 'webhook']

const root = join(import.meta.dir, '..', 'src')
const scan = new Bun.Transpiler({ loader: 'ts' })
const files = await Promise.all(
  [...new Bun.Glob('**/*.ts').scanSync(root)]
    .filter((path) => !path.endsWith('.d.ts'))
    .map(async (path) => {
      const text = await Bun.file(join(root, path)).text()
      const imports = scan.scanImports(text).map((found) => found.path)
      return {
        path,
        text,
        packages: imports.filter((name) => !name.startsWith('.')),
        local: imports.filter((name) => name.startsWith('.')).map((name) => normalize(join(dirname(path), name))),
      }
    }),
)

function packageOf(name: string): string {
  return Object.keys(OWNERS).find((owned) => name === owned || name.startsWith(`${owned}/`)) ?? name
}

describe('who may import whom', () => {
  test('a package is imported only where it belongs', () => {
    const strays = files.flatMap(({ path, packages }) =>
      packages.filter((name) => OWNERS[packageOf(name)]?.test(path) === false).map((name) => `${path} imports ${name}`),
    )
    expect(strays).toEqual([])
  })

  test('every package that is imported has an owner, or comes with the runtime', () => {
    const unowned = files.flatMap(({ path, packages }) =>
      packages
        .filter((name) => OWNERS[packageOf(name)] === undefined && !/^(node:|bun$|bun:)/.test(name))
        .map((name) => `${path} imports ${name}`),
    )
    expect(unowned).toEqual([])
  })

  test('pure files import pure files only', () => {
    const pure = new Set(PURE)
    // A file that a pure one imports must be pure itself, listed or not: it may not reach out either.
    const reach = (path: string): string[] => {
      const file = files.find((other) => other.path === path)
      if (file === undefined) return []
      const outside = file.packages.filter((name) => !PURE_PACKAGES.test(name)).map((name) => `${path} imports ${name}`)
      return [...outside, ...file.local.flatMap(reach)]
    }
    expect([...pure].filter((path) => !files.some((file) => file.path === path))).toEqual([])
    expect([...pure].flatMap(reach)).toEqual([])
  })

  test('two nouns never import each other’s store', () => {
    const strays = files.flatMap(({ path, local }) => {
      const noun = NOUNS.find((name) => path.startsWith(`${name}/`))
      if (noun === undefined) return []
      return local
        .filter((other) => /-(store|ledger)\.ts$/.test(other) && !other.startsWith(`${noun}/`))
        .map((other) => `${path} imports ${other}`)
    })
    expect(strays).toEqual([])
  })

  test('only main.ts ends the process, and only log.ts and the commands write to it', () => {
    const exits = files.filter(({ text }) => /process\.exit\(/.test(text)).map(({ path }) => path)
    expect(exits).toEqual(['main.ts'])
    const writes = files.filter(({ text }) => /console\.\w+\(|process\.std(out|err)/.test(text)).map(({ path }) => path)
    expect(writes.toSorted()).toEqual(['log.ts', 'main.ts'])
  })

  test('time comes from the clock', () => {
    const stray = /Date\.now\(|new Date\(\)|setTimeout\(|setInterval\(/
    const own = files.filter(({ text }) => stray.test(text)).map(({ path }) => path)
    expect(own.toSorted()).toEqual(['clock.ts'])
  })

  test('the HTTP status of a failure is written in http/failures.ts, nowhere else', () => {
    const written = files.filter(({ text }) => /\bstatus(:|\() *[45]\d\d/.test(text)).map(({ path }) => path)
    // The listener's last resort is outside the app; the stand-ins answer as Apple and Google do.
    const allowed = /^http\/(failures|listener)\.ts$|^delivery\/simulator\//
    expect(written.filter((path) => !allowed.test(path))).toEqual([])
  })
})
