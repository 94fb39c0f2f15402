import { join } from 'node:path'
import { createKnownCredentials } from '../../../src/gateway/simulator/known-credentials.ts'
import type { KnownCredentials } from '../../../src/gateway/simulator/known-credentials.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import { makeCertificate } from '../../support/certificate.ts'
import type { Certificates } from '../gateways/gateway.ts'
import { apiOf } from './api.ts'
import { registerBatch, tokenOf } from './crowd.ts'
import { createLedger } from './ledger.ts'
import type { Ledger } from './ledger.ts'
import { runCommand, startProcess } from '../../support/service-process.ts'
import type { Program } from '../../support/service-process.ts'

export interface Crowd {
  readonly ios: number
  readonly android: number
}

/** A data directory with one application, its credentials and its devices: the start of every scenario. */
export interface Template extends AsyncDisposable {
  readonly data: string
  readonly application: { readonly id: string; readonly secret: string }
  readonly known: KnownCredentials
  readonly certificates: Certificates
  /** Path of a PEM file with the trusted certificates. */
  readonly trusted: string
  readonly ledger: Ledger
}

/** This many of each platform have the tag `few`. */
const FEW = 30

/** The limit of PUT /deviceToken/batch. */
const BATCH = 500

export async function makeTemplate(program: Program, crowd: Crowd): Promise<Template> {
  await using opened = new AsyncDisposableStack()
  const directory = opened.use(temporaryDirectory('bellhop-faults')).path
  const known = await createKnownCredentials()
  const [usual, other] = [
    makeCertificate({ authority: 'gateway.test' }),
    makeCertificate({ authority: 'renewed.test' }),
  ]
  const untrusted = makeCertificate({ authority: 'other.test' })
  const data = join(directory, 'template')
  const trusted = join(directory, 'trusted.pem')
  await Bun.write(trusted, usual.certificate + other.certificate)

  const application = JSON.parse(await runCommand(program, ['app', 'create', 'faults', '--json', '--data', data]))
  const { apnsKey, serviceAccount } = known.issue(application.id)
  const [keyFile, accountFile] = [join(directory, 'key.p8'), join(directory, 'account.json')]
  await Promise.all([Bun.write(keyFile, apnsKey.p8), Bun.write(accountFile, serviceAccount)])
  const { keyId, teamId, topic } = apnsKey
  const apns = [`--key=${keyFile}`, `--key-id=${keyId}`, `--team-id=${teamId}`, `--topic=${topic}`]
  await runCommand(program, ['app', 'apns', application.id, ...apns, `--data=${data}`])
  await runCommand(program, ['app', 'fcm', application.id, `--service-account=${accountFile}`, `--data=${data}`])

  const ledger = await populate(program, data, application, crowd)
  const made = opened.move()
  return {
    data,
    application,
    known,
    certificates: { usual, other, untrusted },
    trusted,
    ledger,
    [Symbol.asyncDispose]: () => made.disposeAsync(),
  }
}

/** Registers the crowd by the API. Each batch is tagged `even` or `odd`. */
async function populate(
  program: Program,
  data: string,
  application: { readonly id: string; readonly secret: string },
  { ios, android }: Crowd,
): Promise<Ledger> {
  await using service = startProcess({ program, data })
  const addresses = await service.ready
  const api = apiOf(application, () => addresses?.url ?? null)
  const ledger = createLedger()
  for (const [platform, count] of [
    [0, ios],
    [1, android],
  ] as const) {
    for (let from = 0; from < count; from += from === 0 ? FEW : BATCH) {
      const tokens = Array.from({ length: Math.min(from === 0 ? FEW : BATCH, count - from) }, (_, n) =>
        tokenOf(platform, from + n),
      )
      const tags = from === 0 ? ['even', 'few'] : [Math.floor(from / BATCH) % 2 === 0 ? 'odd' : 'even']
      const taken = await registerBatch({ api, ledger }, platform, tokens, tags)
      if (!taken) throw new Error(`import: ${service.log()}`)
    }
  }
  const exitCode = await service.kill('SIGTERM')
  if (exitCode !== 0) throw new Error(`the first run ended with ${exitCode}: ${service.log()}`)
  return ledger
}
