import { createAdminLogStore } from '../../admin/admin-log-store.ts'
import type { Actor } from '../../admin/administrator.ts'
import type { Config } from '../../settings/parse.ts'
import { SETTING_NAMES, SETTINGS } from '../../settings/table.ts'
import type { SettingName } from '../../settings/table.ts'
import { VERSION } from '../../version.ts'
import type { Service } from '../service.ts'

const ACTION = 'start service'

/**
 * Logs the settings of a start in the audit log, if they or the version have changed. `by`: `undefined` logs nothing.
 */
export async function noteStart(by: Actor | undefined, { config, clock, database, commit }: Service): Promise<void> {
  if (by === undefined) return
  const log = createAdminLogStore({ database, clock })
  const settings = shownSettings(config)
  await commit(() => {
    const last = log.page(Number.MAX_SAFE_INTEGER, 1, { action: ACTION })[0]
    const before = (last?.detail['settings'] ?? {}) as typeof settings
    const names = [...new Set([...Object.keys(before), ...Object.keys(settings)])]
    const changes = Object.fromEntries(
      names
        .map((name) => [name, { before: before[name] ?? null, after: settings[name] ?? null }] as const)
        .filter(([, one]) => JSON.stringify(one.before) !== JSON.stringify(one.after)),
    )
    if (last?.detail['version'] === VERSION && Object.keys(changes).length === 0) return
    log.add(by, ACTION, '', { version: VERSION, settings }, { changes })
  })
}

function shownSettings(config: Config): Readonly<Record<string, unknown>> {
  const shown = SETTING_NAMES.filter((name) => SETTINGS[name].secret !== true && !isDefault(name, config))
  return Object.fromEntries(shown.map((name) => [name, config[name]]))
}

function isDefault(name: SettingName, config: Config): boolean {
  const { default: text, type } = SETTINGS[name]
  return JSON.stringify(config[name]) === JSON.stringify(text === null ? null : type.read(text))
}
