// What a real gateway answers to harmless questions, beside what the stand-in answers: a report that anybody can send.
import { parseArgs } from 'node:util'
import { readApnsKey } from '../../src/application/credential.ts'
import { makeVapid } from '../../src/application/vapid.ts'
import { systemClock } from '../../src/clock.ts'
import { authoritiesIn } from '../../src/gateway/transport/authorities.ts'
import { startSimulator } from '../../src/gateway/simulator/simulator.ts'
import type { Simulator } from '../../src/gateway/simulator/simulator.ts'
import { RELEASE } from '../../src/version.ts'
import { apnsProbes } from './apns-probes.ts'
import { ask } from './probe.ts'
import type { Asked, Probe } from './probe.ts'
import { webPushProbes } from './webpush-probes.ts'

const HELP = `Usage: bun run conformance apns --key FILE.p8 --key-id K --team-id T --topic BUNDLE [--sandbox] --yes
       bun run conformance webpush [--service ORIGIN]… --yes

Asks real gateways harmless questions, 13 to APNs and 7 to a push service, and prints their answers beside those of the
built-in stand-in, as a table to send to the project. Nothing reaches a phone or a browser. The report holds no key, no
key id, no team and no topic.

  --service ORIGIN  a push service (default https://updates.push.services.mozilla.com)
  --url ORIGIN      in place of api.push.apple.com
  --ca FILE.pem     authorities to trust besides the system's
  --yes             ask them: without it nothing is sent

APNs refuses a second signature of one key within 20 minutes (TooManyProviderTokenUpdates), and each run makes one: use a
key that no server has sent with for so long, and wait between runs.`

const OPTIONS = {
  key: { type: 'string' },
  'key-id': { type: 'string', default: '' },
  'team-id': { type: 'string', default: '' },
  topic: { type: 'string', default: '' },
  sandbox: { type: 'boolean', default: false },
  service: { type: 'string', multiple: true },
  url: { type: 'string' },
  ca: { type: 'string' },
  yes: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/** One question with both answers. */
export interface Compared {
  readonly name: string
  readonly gateway: string
  readonly standIn: string
}

/** Asks what `argv` names; resolves with the exit code. */
export async function runConformance(argv: readonly string[], print: (text: string) => void): Promise<number> {
  const { values, positionals } = parsed(argv)
  const [what] = positionals
  if (values.help || (what !== 'apns' && what !== 'webpush')) {
    print(HELP)
    return values.help ? 0 : 2
  }
  if (!values.yes) {
    print('This sends requests to a real gateway. Add --yes to do so, or --help.')
    return 2
  }
  const ca = await authoritiesIn(values.ca ?? null)
  await using simulator = await startSimulator({ clock: systemClock })
  const compared =
    what === 'apns' ? await compareApns(simulator, values, ca) : await compareWebPush(simulator, values, ca)
  if (typeof compared === 'string') {
    print(compared)
    return 2
  }
  print(reportOf(what, compared))
  return 0
}

const USUAL_SERVICE = 'https://updates.push.services.mozilla.com'

function parsed(argv: readonly string[]) {
  return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true })
}

type Values = ReturnType<typeof parsed>['values']

async function compareApns(
  simulator: Simulator,
  values: Values,
  ca: string | undefined,
): Promise<readonly Compared[] | string> {
  const { key, 'key-id': keyId, 'team-id': teamId, topic, sandbox } = values
  if (key === undefined) return 'apns needs --key, --key-id, --team-id and --topic.'
  const read = readApnsKey({ p8: await Bun.file(key).text(), keyId, teamId, topic, environment: 'auto' })
  if (read.kind === 'problem') return read.problem
  if (read.kind !== 'key') return 'apns needs a key.'
  simulator.accept({ kind: 'apns-key', key: read.privateKey, keyId, teamId, topics: [topic] })
  const usual = sandbox ? 'https://api.sandbox.push.apple.com' : 'https://api.push.apple.com'
  const standIn = { origin: sandbox ? simulator.apnsSandboxUrl : simulator.apnsUrl, ca: simulator.ca }
  return await compare(await apnsProbes(read), { origin: values.url ?? usual, ca }, standIn)
}

async function compareWebPush(
  simulator: Simulator,
  { service = [USUAL_SERVICE] }: Values,
  ca: string | undefined,
): Promise<readonly Compared[]> {
  const vapid = makeVapid('mailto:conformance@example.com')
  simulator.accept(vapid)
  const standIn = { origin: simulator.webPushUrl, ca: simulator.ca }
  const all: Compared[] = []
  for (const origin of service) {
    const asked = await webPushProbes(vapid, origin)
    // Such an endpoint of the stand-in says that nobody has it.
    const beside = await webPushProbes(vapid, standIn.origin, '/notfound:1')
    all.push(...(await compare(asked, { origin, ca }, standIn, beside)))
  }
  return all
}

/** One after the other: many at one time would look like an attack. `beside`: what the stand-in is asked; default the same. */
export async function compare(
  probes: readonly Probe[],
  gateway: Asked,
  standIn: Asked,
  beside: readonly Probe[] = probes,
): Promise<readonly Compared[]> {
  const compared: Compared[] = []
  for (const [at, probe] of probes.entries()) {
    compared.push({
      name: probe.name,
      gateway: await ask(gateway, probe),
      standIn: await ask(standIn, beside[at] ?? probe),
    })
  }
  return compared
}

/** A table in Markdown, and how many answers differ. */
export function reportOf(what: string, compared: readonly Compared[]): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/[^\x20-\x7e]/g, '?')
  const differing = compared.filter(({ gateway, standIn }) => gateway !== standIn).length
  return [
    `Bellhop ${RELEASE}, ${what}, ${new Date(systemClock.now()).toISOString().slice(0, 10)}: ${compared.length} questions, ${differing} answered otherwise than by the stand-in.`,
    '',
    '| Question | Gateway | Stand-in | |',
    '| --- | --- | --- | --- |',
    ...compared.map(({ name, gateway, standIn }) => {
      return `| ${cell(name)} | ${cell(gateway)} | ${cell(standIn)} | ${gateway === standIn ? '' : 'differs'} |`
    }),
  ].join('\n')
}

if (import.meta.main) process.exit(await runConformance(process.argv.slice(2), (text) => console.log(text)))
