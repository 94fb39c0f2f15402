import { join } from 'node:path'
import { confinement, unitWord } from './systemd-unit.ts'
import type { Unit } from './systemd-unit.ts'

export interface Replication {
  readonly kind: 'replication'
  readonly bucket: string
  readonly path: string
}

/** The unit of the service, that of Litestream 0.3 and its configuration, each below a line `### path`. */
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
