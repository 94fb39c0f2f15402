import { join } from 'node:path'
import type { Config } from '../../settings/parse.ts'

/** Paths are absolute. */
export interface Unit {
  readonly program: string
  /** `null`: DynamicUser=. */
  readonly user: string | null
  /** Below /var/lib, made by systemd: `bellhop`. */
  readonly stateDirectories: readonly string[]
  /** Elsewhere; they exist, and belong to the user. */
  readonly writtenPaths: readonly string[]
  readonly data: string
  /** For `serve`, without TLS: `--data`, `/var/lib/bellhop`. */
  readonly flags: readonly string[]
  readonly tls: { readonly certificate: string; readonly key: string } | null
  readonly drainSeconds: Config['drainSeconds']
  readonly lowPort: boolean
}

/** After the drain time: `serve` gives up after 5. */
const CLOSING_SECONDS = 10

export function unitText(unit: Unit): string {
  return [
    ...head(unit),
    ...service(unit),
    ...confinement(unit),
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ].join('\n')
}

function head({ user, writtenPaths }: Unit): readonly string[] {
  const first = [...writtenPaths].map((path) => `install -d -m 700 -o ${user} ${unitWord(path)}`)
  return [
    '# Bellhop, as a service of systemd. To install and to watch it:',
    ...(user === null ? [] : [`#   useradd --system --shell /usr/sbin/nologin ${user}`]),
    ...first.map((line) => `#   ${line}`),
    '#   bellhop systemd > /etc/systemd/system/bellhop.service',
    '#   systemctl daemon-reload && systemctl enable --now bellhop',
    '#   journalctl -u bellhop -f',
    '# An upgrade is a new program in the place of the old one, and: systemctl restart bellhop',
    '',
    '[Unit]',
    'Description=Bellhop push notifications',
    'Wants=network-online.target',
    'After=network-online.target',
    '# However long the trouble lasts, it is tried again.',
    'StartLimitIntervalSec=0',
    '',
  ]
}

function service({ program, data, flags, tls, drainSeconds, ...unit }: Unit): readonly string[] {
  const tlsFlags = tls ? ' --tls-cert ${CREDENTIALS_DIRECTORY}/tls-cert --tls-key ${CREDENTIALS_DIRECTORY}/tls-key' : ''
  return [
    '[Service]',
    '# It says when it can be called, and then every 30 seconds that it lives.',
    'Type=notify',
    'WatchdogSec=60',
    'WatchdogSignal=SIGKILL',
    `ExecStart=${[program, 'serve', ...flags].map(unitWord).join(' ')}${tlsFlags}`,
    ...(tls
      ? [
          '# Root’s files are handed over as copies, of the moment of the start. So, once they are renewed:',
          '#   certbot renew --deploy-hook "systemctl restart bellhop"',
          `LoadCredential=tls-cert:${specifierless(tls.certificate)}`,
          `LoadCredential=tls-key:${specifierless(tls.key)}`,
        ]
      : []),
    '# More settings, a line each: BELLHOP_LOG_LEVEL=debug. For root alone (chmod 600) where one of them is secret.',
    'EnvironmentFile=-/etc/bellhop/env',
    '# The key that seals stored credentials lies beside the database, unless it comes from here. To have it here, with',
    `# the service stopped: bellhop key rotate --data ${unitWord(data)} --to /etc/bellhop/key (for a new service:`,
    '# openssl rand -base64 32 > /etc/bellhop/key), and this line. Commands then need BELLHOP_KEY_FILE=/etc/bellhop/key.',
    '#LoadCredential=bellhop-key:/etc/bellhop/key',
    '# Or sealed by this machine’s own key or TPM (systemd 250 or newer):',
    '#   systemd-creds encrypt --name=bellhop-key /etc/bellhop/key /etc/bellhop/key.cred',
    '#LoadCredentialEncrypted=bellhop-key:/etc/bellhop/key.cred',
    ...(unit.user === null ? ['DynamicUser=yes'] : [`User=${unit.user}`]),
    ...unit.stateDirectories.map((name) => `StateDirectory=${unitWord(name)}`),
    ...(unit.stateDirectories.length > 0 ? ['StateDirectoryMode=0700'] : []),
    ...unit.writtenPaths.map((path) => `ReadWritePaths=${unitWord(path)}`),
    'UMask=0077',
    'Restart=always',
    'RestartSec=5',
    '# Settings that are wrong: a restart does not put them right.',
    'RestartPreventExitStatus=2',
    '# An upgrade may have a large database to change.',
    'TimeoutStartSec=15min',
    `# The drain time (--drain-seconds ${drainSeconds}), and some for closing.`,
    `TimeoutStopSec=${drainSeconds + CLOSING_SECONDS}`,
    'LimitNOFILE=65536',
    '# A dump of its memory would hold keys.',
    'LimitCORE=0',
    '# So that a login is possible whatever happens. It needs 100 to 200 MB.',
    'MemoryMax=75%',
  ]
}

function confinement({ lowPort }: Pick<Unit, 'lowPort'>): readonly string[] {
  return [
    '',
    '# What it can do to the rest of the machine.',
    ...(lowPort
      ? [
          '# A port below 1024 needs this one right.',
          'AmbientCapabilities=CAP_NET_BIND_SERVICE',
          'CapabilityBoundingSet=CAP_NET_BIND_SERVICE',
        ]
      : ['CapabilityBoundingSet=', 'PrivateUsers=yes']),
    'NoNewPrivileges=yes',
    'ProtectSystem=strict',
    'ProtectHome=yes',
    'PrivateTmp=yes',
    'PrivateDevices=yes',
    'ProtectKernelTunables=yes',
    'ProtectKernelModules=yes',
    'ProtectKernelLogs=yes',
    'ProtectControlGroups=yes',
    'ProtectClock=yes',
    'ProtectHostname=yes',
    'ProtectProc=invisible',
    'ProcSubset=pid',
    'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX',
    'RestrictNamespaces=yes',
    'RestrictRealtime=yes',
    'RestrictSUIDSGID=yes',
    'LockPersonality=yes',
    'RemoveIPC=yes',
    'KeyringMode=private',
    'SystemCallArchitectures=native',
    'SystemCallFilter=@system-service',
    'SystemCallFilter=~@privileged @resources',
    'SystemCallErrorNumber=EPERM',
    '# Not yes: JavaScript is compiled while it runs, into memory that is written and then executed.',
    'MemoryDenyWriteExecute=no',
  ]
}

/** systemd.service(5), "Command lines". */
function unitWord(word: string): string {
  const literal = specifierless(word).replaceAll('$', '$$$$')
  if (/^[\w@%+=:,./$[\]-]+$/.test(literal)) return literal
  const escaped = literal
    .replaceAll(/["\\]/g, String.raw`\$&`)
    .replaceAll(/\p{Cc}/gu, (character) => String.raw`\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return `"${escaped}"`
}

/** systemd.unit(5), "Specifiers". */
function specifierless(text: string): string {
  return text.replaceAll('%', '%%')
}

export interface Replication {
  readonly kind: 'replication'
  readonly bucket: string
  readonly path: string
}

/** Unit of the service, unit and configuration of Litestream 0.3, each below a line `### path`. */
export function unitsText(serviceText: string, unit: Unit, { bucket, path }: Replication): string {
  const { user, stateDirectories, writtenPaths, data } = unit
  return `# Bellhop, and Litestream 0.3, which copies each change to a bucket within about a second. To install, as root:
#   install -d /etc/bellhop && install -m 600 /dev/null /etc/bellhop/litestream.env
#   bellhop systemd --litestream … | awk '/^### /{file=$2; next} file{print > file}'
#   Put the lines AWS_ACCESS_KEY_ID=…, AWS_SECRET_ACCESS_KEY=… and AWS_REGION=… into /etc/bellhop/litestream.env, and
#   for other services than Amazon's AWS_ENDPOINT_URL_S3=https://…
#   systemctl daemon-reload && systemctl enable --now bellhop-litestream bellhop
# The sealing key is not copied. Keep a copy of it elsewhere: bellhop manual sealing-key
### /etc/systemd/system/bellhop.service
${serviceText}### /etc/systemd/system/bellhop-litestream.service
[Unit]
Description=Litestream for Bellhop
Wants=network-online.target
After=network-online.target
# It starts first and stops last: else changes of a stop are not copied, and each start copies the whole database.
Before=bellhop.service
StartLimitIntervalSec=0

[Service]
ExecStart=litestream replicate -config /etc/bellhop/litestream.yml
# Credentials of the bucket (chmod 600).
EnvironmentFile=/etc/bellhop/litestream.env
# The same user as bellhop.service, which owns the database.
User=${user ?? 'bellhop'}
${[
  ...(user === null ? ['DynamicUser=yes'] : []),
  ...stateDirectories.map((name) => `StateDirectory=${unitWord(name)}`),
  ...(stateDirectories.length > 0 ? ['StateDirectoryMode=0700'] : []),
  ...writtenPaths.map((written) => `ReadWritePaths=${unitWord(written)}`),
].join('\n')}
UMask=0077
Restart=always
RestartSec=5
LimitCORE=0
${confinement({ lowPort: false }).join('\n')}

[Install]
WantedBy=multi-user.target
### /etc/bellhop/litestream.yml
dbs:
  - path: ${JSON.stringify(join(data, 'bellhop.db'))}
    replicas:
      - type: s3
        bucket: ${JSON.stringify(bucket)}
        path: ${JSON.stringify(path)}
        endpoint: \${AWS_ENDPOINT_URL_S3}
        region: \${AWS_REGION}
        force-path-style: true
        # Snapshots are made as often, and files of older ones deleted.
        retention: 24h
`
}
