import { describeSettings } from '../../settings/settings-text.ts'
import type { SettingRow } from '../../settings/settings-text.ts'
import { jsonFlag } from '../command.ts'
import type { CommandSpec, FlagSpec } from '../command.ts'

/** Those of `serve` that may stand in a unit, which everybody on a machine can read. */
const settingFlags: readonly FlagSpec[] = describeSettings()
  .filter(({ envFile }) => envFile === null)
  .map(unitFlag)

/** Living on a server. */
export const HOST_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'health',
    words: [],
    summary: 'ask a running server whether it is well; the exit code says so',
    flags: [
      { name: 'ready', placeholder: null, doc: 'whether it also does its work, and if not, why' },
      jsonFlag,
      {
        name: 'admin-listen',
        placeholder: 'HOST:PORT',
        doc: 'as serve has it (BELLHOP_ADMIN_LISTEN; default 127.0.0.1:8791)',
      },
    ],
    example: 'bellhop health --ready',
  },
  {
    name: 'systemd',
    words: [],
    summary: 'print a unit for systemd that runs serve, confined, with these flags',
    flags: [
      { name: 'user', placeholder: 'NAME', doc: 'who runs it; default one that systemd makes while it runs' },
      ...settingFlags,
    ],
    example: 'bellhop systemd --listen 127.0.0.1:8790 --trusted-proxies 127.0.0.1',
  },
]

function unitFlag({ flag, placeholder, list }: SettingRow): FlagSpec {
  const name = flag.slice(2)
  const doc = name === 'data' ? 'as for serve; default /var/lib/bellhop' : 'as for serve'
  return { name, placeholder: placeholder === '' ? null : placeholder, doc, ...(list && { list }) }
}
