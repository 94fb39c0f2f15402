import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'bun:test'
import { describeSettings } from '../../src/settings/settings-text.ts'

const FOLDER = 'scripts/deploy'
const KNOWN = new Set([
  ...describeSettings().flatMap(({ env, envFile }) => [env, envFile]),
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SECRET_ACCESS_KEY_FILE',
  'AWS_REGION',
  'AWS_ENDPOINT_URL_S3',
])
/** Of the templates themselves, not of Bellhop. */
const PARAMETERS = new Set(['BELLHOP_IMAGE', 'SERVICE_URL_BELLHOP', 'SERVICE_URL_BELLHOP_8790'])

interface Service {
  readonly image: string
  readonly environment: Readonly<Record<string, string>> | readonly string[]
  readonly volumes: readonly string[]
  readonly stop_grace_period?: string
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly read_only?: boolean
  readonly ports?: readonly string[]
}

const textOf = (name: string): string => readFileSync(`${FOLDER}/${name}`, 'utf8')
const yaml = (name: string): any => Bun.YAML.parse(textOf(name))

function serviceIn(name: string): Service {
  const [service] = Object.values<Service>(yaml(name).services)
  if (service === undefined) throw new Error(`${name} has no service`)
  return service
}

function environmentOf({ environment }: Service): Readonly<Record<string, string>> {
  if (!Array.isArray(environment)) return environment as Record<string, string>
  return Object.fromEntries(environment.map((line: string) => /^([^=]*)=?(.*)$/.exec(line)?.slice(1) ?? []))
}

describe('each template', () => {
  test.each(readdirSync(FOLDER))('%s names no setting that there is not, commented out or not', (name) => {
    const named = textOf(name).match(/\b(?:BELLHOP|AWS|SERVICE_URL)_[A-Z0-9_]+\b/g) ?? []
    expect(named.filter((word) => !KNOWN.has(word) && !PARAMETERS.has(word))).toEqual([])
  })
})

describe('those for containers', () => {
  const containers = ['compose.yaml', 'coolify.yaml', 'dokploy.yaml', 'caprover.yaml']

  test.each(containers)('%s keeps the database on a volume, and listens where a proxy reaches it', (name) => {
    const service = serviceIn(name)
    expect(environmentOf(service)).toMatchObject({ BELLHOP_DATA: '/data', BELLHOP_LISTEN: '0.0.0.0:8790' })
    expect(service.volumes).toEqual([expect.stringMatching(/^[$a-z_-]+:\/data$/)])
  })

  test.each(containers.slice(0, 3))('%s waits for the drain, asks for the health, and writes only to /data', (name) => {
    const { stop_grace_period, healthcheck, read_only } = serviceIn(name)
    expect({ stop_grace_period, health: healthcheck?.test, read_only }).toEqual({
      stop_grace_period: '45s',
      health: ['CMD', '/usr/local/bin/bellhop', 'health'],
      read_only: true,
    })
  })

  test.each(containers)('%s publishes no port but to the machine itself, and never the admin side', (name) => {
    expect(serviceIn(name).ports ?? []).toEqual(name === 'compose.yaml' ? ['127.0.0.1:8790:8790'] : [])
    expect(environmentOf(serviceIn(name))).not.toHaveProperty('BELLHOP_ADMIN_LISTEN')
  })

  test('CapRover’s uses each of its variables, and no other', () => {
    const variables: readonly { id: string }[] = yaml('caprover.yaml').caproverOneClickApp.variables
    const used = new Set(textOf('caprover.yaml').match(/\$\$cap_[a-z_]+/g))
    const builtIn = new Set(['$$cap_appname', '$$cap_root_domain'])
    expect([...used].filter((name) => !builtIn.has(name)).toSorted()).toEqual(variables.map(({ id }) => id).toSorted())
  })
})

describe('the one for Kubernetes', () => {
  type Kind = 'Service' | 'PodDisruptionBudget' | 'StatefulSet'
  const manifests: readonly { kind: Kind; spec: any }[] = yaml('kubernetes.yaml')
  const specOf = (kind: Kind) => manifests.find((manifest) => manifest.kind === kind)?.spec

  test('runs one pod, whose volume no second one can have', () => {
    const { replicas, volumeClaimTemplates } = specOf('StatefulSet')
    expect({ replicas, modes: volumeClaimTemplates[0].spec.accessModes }).toEqual({
      replicas: 1,
      modes: ['ReadWriteOncePod'],
    })
  })

  test('finds the pod by its labels, and asks the port that it has', () => {
    const { selector, template } = specOf('StatefulSet')
    const { labels } = template.metadata
    expect(selector.matchLabels).toEqual(labels)
    expect(specOf('Service').selector).toEqual(labels)
    expect(specOf('PodDisruptionBudget').selector.matchLabels).toEqual(labels)
    const [{ ports, startupProbe, livenessProbe, readinessProbe, volumeMounts }] = template.spec.containers
    expect(ports).toEqual([{ name: 'http', containerPort: 8790 }])
    for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
      expect(probe.httpGet).toEqual({ path: '/healthz', port: 'http' })
    }
    expect(volumeMounts).toEqual([{ name: 'data', mountPath: '/data' }])
  })

  test('gives it time to drain, and the start of an upgrade five minutes', () => {
    const { terminationGracePeriodSeconds, containers } = specOf('StatefulSet').template.spec
    expect(terminationGracePeriodSeconds).toBe(45)
    const { periodSeconds, failureThreshold } = containers[0].startupProbe
    expect(periodSeconds * failureThreshold).toBe(300)
  })
})

test('the one for Fly keeps one machine, which is never stopped, with its volume at the data', () => {
  expect(Bun.TOML.parse(textOf('fly.toml'))).toMatchObject({
    env: { BELLHOP_DATA: '/data', BELLHOP_LISTEN: '0.0.0.0:8790' },
    mounts: [{ destination: '/data' }],
    http_service: { internal_port: 8790, auto_stop_machines: 'off', min_machines_running: 1 },
    kill_timeout: '45s',
  })
})

describe('the one for Ansible', () => {
  const tasks: readonly Record<string, any>[] = yaml('ansible.yaml')

  test('takes an executable only with its checksum', () => {
    const [download] = tasks.flatMap((task) => task['ansible.builtin.get_url'] ?? [])
    expect(download.checksum).toBe('sha256:{{ bellhop_sha256 }}')
  })

  test('shows no settings, which may be secret', () => {
    const written = tasks.find((task) => task['ansible.builtin.copy']?.dest === '/etc/bellhop/env')
    expect(written).toMatchObject({ no_log: true, 'ansible.builtin.copy': { mode: '0600' } })
  })
})
