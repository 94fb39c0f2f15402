import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'

/** From the ground to the roof: a room, or a file beside them, imports only what stands before it. */
const ROOMS =
  `clock.ts text platform.ts version.ts client network failure.ts log.ts system database time sealing settings application usage backup
   manual http device account webhook alert stats notification audience transfer gateway delivery push move hook monitoring doctor admin dashboard server cli main.ts`.split(
    /\s+/,
  )

/** Who may import a package: paths below src. Type-only imports are free, since `scanImports` does not report them. */
const OWNERS: Readonly<Record<string, RegExp>> = {
  elysia: /^http\/|-routes\.ts$|^admin\/admin-(api|gate)\.ts$/,
  '@elysiajs/swagger': /^http\/docs\.ts$/,
  'drizzle-orm': /^database\/|-(store|ledger)\.ts$/,
  'bun:sqlite': /^database\//,
  jose: /^gateway\/(apns|fcm|webpush)\/token\.ts$|^move\/transport-key\.ts$/,
  'http2-wrapper': /^gateway\/transport\/http2-session\.ts$/,
  'node-forge': /^application\/certificate-file\.ts$|^gateway\/simulator\//,
  nodemailer: /^alert\/mail-client\.ts$/,
  semver: /^http\/accept-version\.ts$/,
  uqr: /^account\/qr-code\.ts$/,
  '@zxcvbn-ts/language-common': /^account\/common-passwords\.ts$/,
  'swagger-ui-dist': /^http\/docs\.ts$/,
}

/** What a file's role or room says of it: it reads, writes, or calls what does. So does who imports a package of OWNERS. */
const IMPURE_ROLES = [
  /-(store|routes|command|probe|client|worker|listener)\.ts$/,
  /(^|\/)(client|listener|examine-\w+|demo-\w+)\.ts$|^cli\/(.*\/)?open-[\w-]+\.ts$/,
  /^gateway\/transport\/(authorities|choose-transport|http11-session|http2-\w+|secure-socket|tunnel|h2\/socket-session)\.ts$/,
  /^gateway\/simulator\/(simulator|\w+\/\w+-(gateway|endpoint|server))\.ts$/,
  /^cli\/transfer\/(?!import-options|import-plan|transfer-)/,
  /^cli\/upgrade\/(?!minisign|upgrade-commands)/,
  /^sealing\/(?!seal\.ts$|key-messages|sealed-table)/,
  /^(system|backup|server)\/|^database\/(?!database-refused|sqlite-error|damage)/,
]

/** What else does. A file that is not named here imports, directly or by others, nothing that reaches out. */
const IMPURE = new Set<string>([
  'admin/page/dashboard-bundle.ts',
  'cli/admin/administrators-in.ts',
  'cli/backup/bucket-opener.ts',
  'cli/backup/check-key.ts',
  'cli/command-audit.ts',
  'cli/data-directory.ts',
  'cli/error-message.ts',
  'cli/execute.ts',
  'cli/find-application.ts',
  'cli/push/resolve.ts',
  'cli/run.ts',
  'cli/remote/command-socket.ts',
  'cli/remote/served-commands.ts',
  'cli/service/server-process.ts',
  'cli/terminal/gauge.ts',
  'doctor/database/inspected-database.ts',
  'doctor/database/sealing-key-check.ts',
  'doctor/doctor.ts',
  'doctor/gateways/reach-check.ts',
  'doctor/machine/backup-check.ts',
  'doctor/machine/disk-check.ts',
  'doctor/machine/files-check.ts',
  'doctor/machine/listen-check.ts',
  'doctor/machine/server-check.ts',
  'doctor/machine/settings-check.ts',
  'gateway/providers.ts',
  'gateway/registry.ts',
  'gateway/webpush/key-agreement.ts',
  'main.ts',
  'monitoring/scrape.ts',
  'monitoring/storage.ts',
  'network/lookup.ts',
  'push/pushing.ts',
  'webhook/post.ts',
  'hook/sealed-records.ts',
])

/** Pure code of a kept library, or of the runtime, that a pure file may use. */
const PURE_PACKAGES =
  /^(uqr|@zxcvbn-ts\/language-common|semver(\/functions\/satisfies\.js)?|node-forge|jose|node:(async_hooks|crypto|util|net|buffer|path|url|zlib))$/

/** What a pure file may import of a package that is not. */
const PURE_NAMES: Readonly<Record<string, RegExp>> = {
  'node:tls': /^import \{ createSecureContext \} from 'node:tls'$/m,
}

/** Globals by which a file reaches out without an import. */
const REACHING_OUT =
  /\bprocess\.(?!isBun)\w+|\bBun\.(build|file|write|spawn|spawnSync|serve|connect|listen|sleep|S3Client|Glob|dns|udpSocket|env|argv|stdin|stdout|stderr|gc|FetchSession\()|(?<![.\w])fetch\(|\bconsole\.(?!cloud\b)\w+|\bMath\.random|\bcrypto\.(getRandomValues|randomUUID)|\bnew Worker\(/g

const root = join(import.meta.dir, '..', 'src')
const scan = new Bun.Transpiler({ loader: 'ts' })
const IMPORT = /\b(?:from|import)\s*\(?\s*'(\.[^']+\.ts)'/g
/** What a browser runs, where there are other globals, and no database: it has rules of its own, below. */
const isBrowsers = (path: string): boolean => path.startsWith('dashboard/')
const browserPaths = [...new Bun.Glob('dashboard/**/*.{ts,tsx}').scanSync(root)].filter(
  (path) => !path.endsWith('.d.ts'),
)
const files = await Promise.all(
  [...new Bun.Glob('**/*.ts').scanSync(root)]
    .filter((path) => !path.endsWith('.d.ts') && !isBrowsers(path))
    .toSorted()
    .map(async (path) => {
      const text = await Bun.file(join(root, path)).text()
      // A table of commands says where each is, and loads none.
      const found = scan
        .scanImports(text)
        .filter(({ kind }) => !(path.endsWith('-commands.ts') && kind === 'dynamic-import'))
      const imports = found.map(({ path: name }) => name)
      const beside = (name: string) => normalize(join(dirname(path), name))
      return {
        path,
        text,
        code: text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, ''),
        packages: imports.filter((name) => !name.startsWith('.')),
        /** What it needs when it runs. */
        local: imports.filter((name) => name.startsWith('.') && name.endsWith('.ts')).map(beside),
        /** With types. */
        all: Array.from(text.matchAll(IMPORT), ([, name = '']) => beside(name)),
      }
    }),
)

function packageOf(name: string): string {
  return Object.keys(OWNERS).find((owned) => name === owned || name.startsWith(`${owned}/`)) ?? name
}

const roomOf = (path: string): string => path.split('/')[0] ?? path

describe('rooms', () => {
  test('each room and each file beside them has its place in the order', () => {
    const rooms = new Set([...files.map(({ path }) => path), ...browserPaths].map(roomOf))
    expect([...rooms].toSorted()).toEqual(ROOMS.toSorted())
  })

  test('test/README.md tells of each, from the roof to the ground', async () => {
    const readme = await Bun.file(join(root, '../test/README.md')).text()
    const told = Array.from(readme.matchAll(/^src\/([\w.]+)\/? {2,}\S/gm), ([, name]) => name)
    expect(told).toEqual(ROOMS.toReversed())
  })

  test('a room imports only rooms below it, types too', () => {
    const height = (path: string): number => ROOMS.indexOf(roomOf(path))
    const up = files.flatMap(({ path, all }) =>
      all.filter((other) => height(other) > height(path)).map((other) => `${path} imports ${other}`),
    )
    expect(up).toEqual([])
    expect(files.flatMap(({ all }) => all).length).toBeGreaterThan(2000)
  })

  test('no files import each other in a circle, types too, but for the table of commands, which help shows', () => {
    const importsOf = new Map(files.map(({ path, all }) => [path, all]))
    const inCircle = (path: string): boolean => {
      const reached = new Set<string>()
      const next = [path]
      for (let file = next.pop(); file !== undefined; file = next.pop()) {
        for (const other of importsOf.get(file) ?? []) {
          if (other === path) return true
          if (roomOf(other) === roomOf(path) && !reached.has(other)) next.push(other)
          reached.add(other)
        }
      }
      return false
    }
    expect(files.map(({ path }) => path).filter(inCircle)).toEqual([
      'cli/commands.ts',
      'cli/completion/completions-command.ts',
      'cli/help.ts',
      'cli/service/help-command.ts',
      'cli/service/service-commands.ts',
    ])
  })

  test('a file is not longer than 250 lines, but for those of these rooms', () => {
    const long = files.filter(({ text }) => text.split('\n').length - 1 > 250).map(({ path }) => path)
    // The table of settings is one list.
    const may = /^(database|device|gateway|push)\/|^settings\/table\.ts$/
    expect(long.filter((path) => !may.test(path))).toEqual([])
    expect(long.length).toBeGreaterThan(0)
  })
})

describe('the dashboard', () => {
  const sources = Promise.all(
    browserPaths.map(async (path) => ({ path, text: await Bun.file(join(root, path)).text() })),
  )
  const importsIn = (path: string, text: string): readonly string[] =>
    Array.from(text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g), ([, name = '']) =>
      normalize(join(dirname(path), name)),
    )

  /** The one description of a push's options; what it imports is pure, as all of `notification/`. */
  const OPTIONS = 'notification/options.ts'

  /** What describes the answers of the admin API, and of the public one. */
  const ANSWERS = /^(admin\/api-types\/[a-z]+-types|http\/answer-schema|push\/[a-z]+\/[a-z]+-schema)\.ts$/

  test('knows of the server only how it answers, and that as types, and the options of a push', async () => {
    const known = (await sources).flatMap(({ path, text }) => importsIn(path, text).filter((name) => !isBrowsers(name)))
    expect(known.filter((name) => name !== OPTIONS && !ANSWERS.test(name))).toEqual([])
    expect(known.length).toBeGreaterThan(20)
    // A type leaves nothing in what runs.
    const ran = (await sources).flatMap(({ path, text }) =>
      Array.from(text.matchAll(/^import (?!type )(?:[^'"]*from )?'([^']+)'/gm), ([, name = '']) =>
        name.startsWith('.') ? join(dirname(path), name) : name,
      ),
    )
    const strange = ran.filter(
      (name) => name !== OPTIONS && !isBrowsers(name) && !/^(@preact\/signals|preact|preact-iso)(\/|$)/.test(name),
    )
    expect(strange).toEqual([])
    expect(ran.length).toBeGreaterThan(100)
  })

  test('calls nothing that a browser does not have: its compiler knows of Bun, for the types of answers', async () => {
    const serverOnly = /\b(Bun|process)\.|\bBuffer\b|'node:/
    expect((await sources).filter(({ text }) => serverOnly.test(text)).map(({ path }) => path)).toEqual([])
  })

  test('is imported by nobody: the bundler names its first file', () => {
    expect(files.flatMap(({ path, all }) => all.filter(isBrowsers).map((other) => `${path} imports ${other}`))).toEqual(
      [],
    )
  })

  test('makes no markup out of text, and sets no style attribute in it: its policy forbids both', async () => {
    const unsafe = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|style="/
    expect((await sources).filter(({ text }) => unsafe.test(text)).map(({ path }) => path)).toEqual([])
  })
})

describe('who may import what', () => {
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

  const owners = new Set(
    files.filter(({ packages }) => packages.some((name) => packageOf(name) in OWNERS && !PURE_PACKAGES.test(name))),
  )
  const byOwnership = new Set([...owners].map(({ path }) => path))
  const hasRole = (path: string): boolean => IMPURE_ROLES.some((role) => role.test(path))
  const isNamed = (path: string): boolean => IMPURE.has(path) || byOwnership.has(path) || hasRole(path)
  const impuritiesOf = ({ path, packages, local, code }: (typeof files)[number]): string[] => [
    ...packages
      .filter((name) => !PURE_PACKAGES.test(name) && !(name in PURE_NAMES && PURE_NAMES[name]?.test(code)))
      .map((name) => `${path} imports ${name}`),
    ...local.filter(isNamed).map((other) => `${path} imports ${other}`),
    ...Array.from(code.matchAll(REACHING_OUT), ([name]) => `${path} uses ${name}`),
  ]

  test('what is not named as impure imports pure files only, and reaches out by nothing', () => {
    expect(files.filter(({ path }) => !isNamed(path)).flatMap(impuritiesOf)).toEqual([])
  })

  test('what is named as impure is there, is, and is not by its role or by what it owns', () => {
    const impure = new Set(files.filter((file) => impuritiesOf(file).length > 0).map(({ path }) => path))
    expect([...IMPURE].filter((path) => !impure.has(path))).toEqual([])
    expect([...IMPURE].filter((path) => byOwnership.has(path) || hasRole(path))).toEqual([])
    expect(IMPURE.size).toBeLessThanOrEqual(40)
  })

  test('only main.ts ends the process, and only it and the log of the service write to it', () => {
    const exits = files.filter(({ text }) => /process\.exit\(/.test(text)).map(({ path }) => path)
    expect(exits).toEqual(['main.ts'])
    const writes = files.filter(({ text }) => /console\.\w+\(|process\.std(out|err)/.test(text)).map(({ path }) => path)
    expect(writes.toSorted()).toEqual(['main.ts', 'server/log/service-log.ts'])
  })

  test('time comes from the clock', () => {
    // `setImmediate` only lets others have their turn; `performance.now` measures what a piece of work has cost.
    const stray =
      /Date\.now\b|new Date\(\)|\bset(Timeout|Interval)\b|\bBun\.sleep|AbortSignal\.timeout|node:timers|\bTemporal\.Now\.(?!timeZoneId)/
    const own = files.filter(({ code }) => stray.test(code)).map(({ path }) => path)
    expect(own.toSorted()).toEqual(['clock.ts'])
  })

  test('`Refused` is made and caught only where its class says so', () => {
    const makes = /\bnew Refused\(|\b(throw|return) (invalid|missing|unknownField|noDevice)\(/
    const makers = files.filter(({ code }) => makes.test(code)).map(({ path }) => path)
    const allowed =
      /^http\/|^admin\/admin-gate\.ts$|-(schema|fields?|routes)\.ts$|^notification\/options\/|^push\/(accept|counting|pushing|resend\/resend|shown\/take-back)\.ts$/
    expect(makers.filter((path) => !allowed.test(path))).toEqual([])
    expect(makers.length).toBeGreaterThan(15)
    const catchers = files.filter(({ code }) => /\binstanceof Refused\b/.test(code)).map(({ path }) => path)
    expect(catchers).toEqual(['failure.ts', 'http/failure-handler.ts'])
  })

  test('the HTTP status of what is not a success is written in http/failures.ts, nowhere else', () => {
    const status = /\bstatus(Code)?\s*(:|\(|=(?!=))[^,)\n]*\b[45]\d\d\b|\bset\.status\s*=(?!=)/
    const written = files.filter(({ code }) => status.test(code)).map(({ path }) => path)
    // The listener's last resort is outside the app; the stand-ins answer as Apple and Google do.
    const allowed = /^http\/(failures|listener)\.ts$|^gateway\/simulator\//
    expect(written.filter((path) => !allowed.test(path))).toEqual([])
  })
})

describe('a class keeps its borders', () => {
  const classes = files.flatMap(({ path, code }) =>
    Array.from(code.matchAll(/^(?:export )?class (\w+)[^\n]*\{\n([\s\S]*?)^\}/gm), ([, name = '', body = '']) => ({
      name: `${path} ${name}`,
      body,
    })),
  )

  test('nobody outside writes a property of an object: what changes it is a verb of its class', () => {
    const property =
      /^ {2}(?:static |override |declare |accessor |public )*(?!readonly |get |set )(\w+)[?!]?(?::| = |$)/gm
    const open = classes.flatMap(({ name, body }) =>
      Array.from(body.matchAll(property), ([, found = '']) => `${name}.${found} is not readonly`),
    )
    expect(open).toEqual([])
    expect(classes.length).toBeGreaterThan(40)
  })

  test('has twelve public members at the most, but for the parts of the transport, and a route of APNs', () => {
    const member =
      /^ {2}(?:static |async |override |readonly |get |set )*(?!constructor\b)(\w+|\[[\w.]+\])(?:<[^>]*>)?[?!]?(?:\(|:| = )/gm
    const wide = classes.filter(({ body }) => new Set(Array.from(body.matchAll(member), ([, name]) => name)).size > 12)
    expect(wide.map(({ name }) => name).filter((name) => !/^gateway\/(transport\/|apns\/route)/.test(name))).toEqual([])
    expect(wide.length).toBeGreaterThan(0)
  })

  test('nobody outside changes a collection of an object: what is public of one is a read-only type', () => {
    const property =
      /^ {2}(?:static |override )*readonly (\w+)(?:: (?!readonly |Readonly).*(?:\[\]|Array<|Map<|Set<)| = (?:\[|new (?:Map|Set|Array)\b))/gm
    const getter = /^ {2}get (\w+)\(\): (?!readonly |Readonly)(?:[\w.<> |]+\[\]|Map<|Set<|Array<)/gm
    const open = classes.flatMap(({ name, body }) =>
      [...body.matchAll(property), ...body.matchAll(getter)].map(([, found = '']) => `${name}.${found} is mutable`),
    )
    expect(open).toEqual([])
  })
})

describe('threads', () => {
  test('each is a program of its own in the compiled one', async () => {
    const threads = files.flatMap(({ code }) =>
      Array.from(code.matchAll(/threadProgram\('([^']+)'\)/g), ([, found]) => `src/${found}`),
    )
    const [, entrypoints = ''] =
      /entrypoints: \[([^\]]+)\]/.exec(await Bun.file(join(root, '../scripts/build/bundle.ts')).text()) ?? []
    const compiled = Array.from(entrypoints.matchAll(/'([^']+)'/g), ([, found = '']) => found)
    expect(compiled.toSorted()).toEqual(['src/main.ts', ...threads].toSorted())
    const started = files.filter(({ code }) => code.includes('new Worker(')).map(({ path }) => path)
    expect(started).toHaveLength(threads.length)
  })
})

describe('one way of doing one thing', () => {
  test.each([
    ['the code of an error is read by codeOf', /'code' in /, 'text/error-code.ts'],
    [
      'the length of a minute, an hour, a day stands beside the clock',
      /60 \* (60|1000)|\b60_000\b|86_?400_000|3_?600_000|const (SECOND|MINUTE|HOUR|DAY)_MS/,
      'clock.ts',
    ],
    ['a time is written by text/format.ts', /\.toISOString\(/, 'text/format.ts'],
  ])('%s', (_, pattern, place) => {
    const written = files.filter(({ code }) => pattern.test(code)).map(({ path }) => path)
    expect(written).toEqual([place])
  })
})

describe('a platform', () => {
  test('is known by its row in platform.ts: nobody compares its number, and no SQL lists them', () => {
    const number = /\b[pP]latform\b['\]]* ?[!=]== ?['"]?\d|\bplatforms?\.includes\(\d|json_each\('\[|\bplatform IN \(\d/
    const written = files.filter(({ code }) => number.test(code)).map(({ path }) => path)
    expect(written).toEqual([])
  })
})

describe('names', () => {
  test('no two files export different things of one name, but for what each command has', () => {
    const homes = new Map<string, string[]>()
    // Loaded by their path: `run` and `check` of each command.
    for (const { path, code } of files.filter((file) => !file.path.endsWith('-command.ts'))) {
      const exported = code.matchAll(/^export (?:async )?(?:interface|type|class|const|function\*?) (\w+)/gm)
      for (const name of new Set(Array.from(exported, ([, found = '']) => found))) {
        homes.set(name, [...(homes.get(name) ?? []), path])
      }
    }
    const shared = [...homes].filter(([, paths]) => paths.length > 1)
    expect(shared.map(([name, paths]) => `${name}: ${paths.join(', ')}`)).toEqual([])
    expect(homes.size).toBeGreaterThan(800)
  })
})

describe('comments', () => {
  const top = join(root, '..')
  const texts = Promise.all(
    [...new Bun.Glob('{src,test,scripts}/**/*.{ts,tsx,md}').scanSync(top), 'README.md'].map(async (path) => {
      const text = await Bun.file(join(top, path)).text()
      const comments = () => (text.match(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm) ?? []).join('\n')
      return { path, text, prose: /\.tsx?$/.test(path) ? comments() : text }
    }),
  )
  /** What of these citations, `path cites what`, `isThere` does not find. */
  async function dangling(cited: RegExp, isThere: (name: string, path: string) => boolean): Promise<string[]> {
    return (await texts).flatMap(({ path, prose }) =>
      Array.from(prose.matchAll(cited), ([whole, name = whole]) => name)
        .filter((name) => !isThere(name, path))
        .map((name) => `${path} cites ${name}`),
    )
  }

  test('a path that is cited leads to a file, from the root, from src or from where it is cited', async () => {
    const cited = /(?<![\w@:/.*{}$<>-])((?:\.\.?\/)*(?:[\w-]+\/)+[\w.-]+\.(?:tsx?|md|sql|json|html|sh|svg))(?![\w*])/g
    const isThere = (name: string, path: string) =>
      [join(top, name), join(root, name), join(top, dirname(path), name)].some((place) => existsSync(place))
    expect(await dangling(cited, isThere)).toEqual([])
  })

  test('a file that is cited by its name alone is there', async () => {
    const names = new Set((await texts).map(({ path }) => basename(path)))
    const cited = /(?<![\w@:/.*{}$<>-])([a-z][\w-]*\.(?:tsx?|sql))(?![\w*(])/g
    // Pages show files of their readers.
    expect(await dangling(cited, (name, path) => names.has(name) || path.endsWith('.md'))).toEqual([])
  })

  test('a heading that is cited, as in `server.md, "Is it well"` or `the manual, "Guarantees"`, is in that page', async () => {
    const headings = new Map(
      (await texts)
        .filter(({ path }) => path.endsWith('.md'))
        .map(({ path, text }) => [path, Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = '']) => heading)]),
    )
    const all = new Set([...headings.values()].flat())
    const isThere = (citation: string) => {
      const [, page = '', heading = ''] = /^(.*), "(.*)"$/.exec(citation) ?? []
      if (page === 'the manual') return all.has(heading)
      return (headings.get(page) ?? headings.get(`src/manual/${page}`) ?? []).includes(heading)
    }
    expect(await dangling(/(?:the manual|[\w/-]+\.md), "[^"]+"/g, isThere)).toEqual([])
  })

  test('nothing is cited that is not in the repository', async () => {
    const elsewhere = /(?<![\w./-])(?:spec|reference|design)\/[a-z][\w-]*|\breview of 20\d\d/gi
    expect(await dangling(elsewhere, () => false)).toEqual([])
  })
})
