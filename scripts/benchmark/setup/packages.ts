import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** Clients to compare with, and the Pool that apns2 uses. Never dependencies of the service. */
const NPM = { '@parse/node-apn': '8.1.0', apns2: '12.2.0', undici: '7.30.2', 'web-push': '3.6.7' }
const SIDESHOW = 'v0.25.0'

const SENDERS = join(import.meta.dir, '../contenders/senders')
const FOLDER = join(import.meta.dir, '../../../.tools/bench')

/** A sender process; `command` takes the arguments of `runSender`. */
export interface SenderProgram {
  /** Name, version and runtime. */
  readonly name: string
  readonly command: readonly string[]
}

/** Available senders of other projects, and a note for each missing one. */
export interface Packages {
  readonly nodeApn: SenderProgram | null
  readonly apns2: SenderProgram | null
  /** On Node and on Bun; empty: not available. */
  readonly webPush: readonly SenderProgram[]
  readonly sideshow: SenderProgram | null
  readonly netHttp: SenderProgram | null
  readonly notes: readonly string[]
}

/** Installs and builds other projects' senders in a folder that git ignores. */
export async function installPackages(): Promise<Packages> {
  const npm = await installFromNpm()
  const go = await buildGo()
  return { ...npm, ...go, notes: [...npm.notes, ...go.notes] }
}

/** Only those for Node. */
export async function installFromNpm(): Promise<Pick<Packages, 'nodeApn' | 'apns2' | 'webPush' | 'notes'>> {
  mkdirSync(FOLDER, { recursive: true })
  await Bun.write(join(FOLDER, 'package.json'), JSON.stringify({ private: true, dependencies: NPM }))
  if (!(await succeeds([process.execPath, 'install', '--silent'], FOLDER))) {
    const notes = ['@parse/node-apn, apns2 and web-push: the packages could not be installed.']
    return { nodeApn: null, apns2: null, webPush: [], notes }
  }
  // Node 20 does not read TypeScript.
  const built = await Bun.build({
    entrypoints: [join(SENDERS, 'node-apn.ts'), join(SENDERS, 'npm-apns2.ts'), join(SENDERS, 'web-push.ts')],
    target: 'node',
    outdir: FOLDER,
    naming: '[name].mjs',
  })
  if (!built.success) throw new AggregateError(built.logs, 'the senders for Node could not be bundled')

  const node = Bun.which('node')
  const runtime = node ?? process.execPath
  const version = node === null ? `Bun ${Bun.version}` : `Node ${versionOf([node, '--version'])}`
  const program = (name: string, file: string): SenderProgram => ({
    name: `${name}, ${version}`,
    command: [runtime, join(FOLDER, file)],
  })
  return {
    nodeApn: program(`@parse/node-apn ${NPM['@parse/node-apn']}`, 'node-apn.mjs'),
    apns2: program(`apns2 ${NPM.apns2}`, 'npm-apns2.mjs'),
    webPush: [
      program(`web-push ${NPM['web-push']}`, 'web-push.mjs'),
      ...(node === null
        ? []
        : [
            {
              name: `web-push ${NPM['web-push']}, Bun ${Bun.version}`,
              command: [process.execPath, join(FOLDER, 'web-push.mjs')],
            },
          ]),
    ],
    notes: node === null ? ['The packages made for Node ran on Bun: there is no Node here.'] : [],
  }
}

async function buildGo(): Promise<Pick<Packages, 'sideshow' | 'netHttp' | 'notes'>> {
  if (Bun.which('go') === null) return { sideshow: null, netHttp: null, notes: ['Go clients: there is no Go here.'] }
  const version = versionOf(['go', 'version'])
  const source = join(FOLDER, 'go')
  cpSync(join(SENDERS, 'go'), source, { recursive: true })
  const build = async (name: string, tag: string, file: string): Promise<SenderProgram | null> => {
    const program = join(FOLDER, file)
    const built = await succeeds(['go', 'build', '-tags', tag, '-o', program, '.'], source)
    return built ? { name: `${name}, Go ${version}`, command: [program] } : null
  }
  const netHttp = await build('net/http', 'standard', 'go-net-http')
  const sideshow = (await succeeds(['go', 'get', `github.com/sideshow/apns2@${SIDESHOW}`], source))
    ? await build(`sideshow/apns2 ${SIDESHOW}`, 'apns2', 'go-apns2')
    : null
  return {
    netHttp,
    sideshow,
    notes: [
      ...(netHttp === null ? ['Go net/http: could not be built.'] : []),
      ...(sideshow === null
        ? [`sideshow/apns2 ${SIDESHOW}: the module could not be had. It is built on net/http.`]
        : []),
    ],
  }
}

/** Also fails when an unresponsive registry has cost a minute. */
async function succeeds(command: readonly string[], cwd: string): Promise<boolean> {
  const child = Bun.spawn([...command], { cwd, stdout: 'ignore', stderr: 'ignore', timeout: 60_000 })
  return (await child.exited) === 0
}

function versionOf(command: readonly string[]): string {
  return /\d+(\.\d+)+/.exec(Bun.spawnSync([...command]).stdout.toString())?.[0] ?? ''
}
