import { expect } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCredentialStore } from '../../src/application/credential-store.ts'
import type { ApnsCredential, Credential } from '../../src/application/credential.ts'
import type { DoctorCheck } from '../../src/doctor/finding.ts'
import { proveSealingKey } from '../../src/sealing/verify-key.ts'
import { sealedRecordsOf } from '../../src/hook/sealed-records.ts'
import { commandLine } from '../cli/command-line.ts'
import type { CommandLine } from '../cli/command-line.ts'
import { ACCOUNT } from '../gateway/fcm/account.ts'
import { startGateway } from '../support/gateway.ts'
import type { Call, Gateway, GatewayAction } from '../support/gateway.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const { privateKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})

export const APNS_KEY: ApnsCredential = {
  kind: 'key',
  privateKey,
  keyId: 'ABC123DEFG',
  teamId: 'DEF123GHIJ',
  topic: 'com.example.shop',
  environment: 'auto',
}

type Name = 'production' | 'sandbox' | 'fcm' | 'token'

interface Examined {
  readonly exitCode: number
  readonly ok: boolean
  readonly checks: readonly (Omit<DoctorCheck, 'application'> & { readonly application?: string })[]
  readonly check: (id: string) => Examined['checks'][number]
}

export interface DoctorHarness extends AsyncDisposable {
  readonly line: CommandLine
  /** Answers like a real gateway, at the fake clock's time, unless `answer` is set. */
  readonly gateways: Readonly<Record<Name, Gateway>>
  /** Points `serve` and doctor at the gateways. */
  readonly env: Readonly<Record<string, string>>
  /** Outside the data directory. */
  file(name: string, content: string): string
  answer(name: Name, status: number, body: unknown, headers?: Readonly<Record<string, string>>): void
  hang(name: Name): void
  addApplication(name: string): Promise<string>
  store(application: string, credential: Credential): void
  /** `doctor … --json`. Fails the test if a secret is printed. */
  examine(argv?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Examined>
}

const INVALID_TOKEN = {
  error: {
    code: 400,
    message: 'The registration token is not a valid FCM registration token',
    status: 'INVALID_ARGUMENT',
    details: [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: 'INVALID_ARGUMENT' }],
  },
}

/** A command line with stand-ins for Apple and Google. */
/** `options`: as of `commandLine`. */
export async function startHarness(options?: Parameters<typeof commandLine>[0]): Promise<DoctorHarness> {
  const line = commandLine(options)
  const outside = temporaryDirectory('bellhop-doctor')
  const secrets = new Set<string>(['proxy-password', 'access-token'])
  for (const pem of [privateKey, ACCOUNT.privateKey]) for (const row of pem.trim().split('\n')) secrets.add(row)

  const reply = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => ({
    status,
    headers: { date: new Date(line.clock.now()).toUTCString(), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const start = (status: number, body: unknown) => startGateway(() => reply(status, body))
  const gateways = {
    production: await start(400, { reason: 'BadDeviceToken' }),
    sandbox: await start(400, { reason: 'BadDeviceToken' }),
    fcm: await start(400, INVALID_TOKEN),
    token: await start(200, { access_token: 'access-token', expires_in: 3599 }),
  }
  const handle = (name: Name, action: (call: Call) => GatewayAction) => gateways[name].handle(action)
  const file = (name: string, content: string): string => {
    const path = join(outside.path, name)
    writeFileSync(path, content)
    return path
  }
  const env = {
    BELLHOP_APNS_URL: gateways.production.origin,
    BELLHOP_APNS_SANDBOX_URL: gateways.sandbox.origin,
    BELLHOP_FCM_URL: gateways.fcm.origin,
    BELLHOP_FCM_TOKEN_URL: `${gateways.token.origin}/token`,
    BELLHOP_GATEWAY_CA: file('ca.pem', gateways.fcm.ca),
    BELLHOP_LISTEN: '127.0.0.1:0',
    BELLHOP_ADMIN_LISTEN: '127.0.0.1:1',
  }

  return {
    line,
    gateways,
    env,
    file,
    answer: (name, status, body, headers) => handle(name, () => reply(status, body, headers)),
    hang: (name) => handle(name, () => 'hang'),
    async addApplication(name) {
      const { id, secret } = JSON.parse((await line.run(['app', 'create', name, '--json'])).stdout)
      secrets.add(secret)
      return id
    },
    store(application, credential) {
      using database = line.database()
      const proven = proveSealingKey({ sealed: sealedRecordsOf(database), dataDirectory: line.data })
      const row = database
        .statement<{ number: number }, [string]>('SELECT number FROM application WHERE id = ?')
        .get(application)
      if (proven.kind === 'problem' || row === null) throw new Error('no key, or no application')
      const credentials = createCredentialStore({ database, clock: line.clock, key: proven.key })
      credentials.put({ number: row.number, id: application }, credential)
    },
    async examine(argv = [], more = {}) {
      const { exitCode, stdout, stderr } = await line.run(['doctor', '--json', ...argv], { ...env, ...more })
      expect(stderr).toBe('')
      if (existsSync(join(line.data, 'key'))) secrets.add(readFileSync(join(line.data, 'key'), 'utf8').trim())
      for (const { calls } of Object.values(gateways)) {
        for (const { headers, body } of calls) {
          if (headers.authorization !== undefined) secrets.add(headers.authorization.replace(/^bearer /i, ''))
          const assertion = new URLSearchParams(body).get('assertion')
          if (assertion !== null) secrets.add(assertion)
        }
      }
      for (const secret of secrets) expect(stdout).not.toContain(secret)
      expect(stdout.trimEnd().split('\n')).toHaveLength(1)
      const { ok, checks } = JSON.parse(stdout) as Pick<Examined, 'ok' | 'checks'>
      expect(exitCode).toBe(ok ? 0 : 1)
      return {
        exitCode,
        ok,
        checks,
        check(id) {
          const found = checks.filter((check) => check.id === id)
          if (found.length !== 1) throw new Error(`${found.length} checks ${id} in ${stdout}`)
          return found[0] as Examined['checks'][number]
        },
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(Object.values(gateways).map((gateway) => gateway[Symbol.asyncDispose]()))
      line[Symbol.dispose]()
      outside[Symbol.dispose]()
    },
  }
}
