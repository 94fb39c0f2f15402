import { factsOf, PROVIDERS } from '../platform.ts'
import type { SealedRecord } from './sealed-table.ts'

type Named = Pick<SealedRecord, 'application' | 'name' | 'provider'>

const MAX_NAMES = 3

/** `place`: the key's file; `null`: the key is a setting. */
export function wrongKeyText(place: string | null, records: readonly Named[]): string {
  const names = [...new Set(records.map(({ name }) => `"${name}"`))]
  const shown = names.slice(0, MAX_NAMES)
  const rest = names.length - shown.length
  const whose = `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
  const what = records.length === 1 ? 'the one sealed record' : `any of the ${records.length} sealed records`
  return `The ${keyName(place)} does not open ${what} in the database (of ${whose}): put the right key back. ${lostText(records.length === 1 ? 'it' : 'them')}`
}

/** `fitting`: the file with the right key. */
export function misplacedKeyText(place: string | null, fitting: string): string {
  const remedy = place === null ? `set BELLHOP_KEY_FILE=${fitting} in place of this one` : `copy it over ${place}`
  return `The ${keyName(place)} is not the one that opens what is sealed in the database; the key in ${fitting} is: ${remedy}.`
}

export function damagedRecordText(record: Named, total: number): string {
  return `The ${whatOf(record.provider)} of "${record.name}" is damaged: it does not open with the sealing key, which opens others of the ${total} sealed records. ${remedyFor(record)}`
}

function remedyFor(record: Named): string {
  const { application, provider } = record
  const other = `Store it again: bellhop app ${COMMANDS[provider] ?? provider} ${application} …`
  return REMEDIES[provider]?.(record) ?? other
}

const REMEDIES: Readonly<Partial<Record<Named['provider'], (record: Named) => string>>> = {
  'second factor': ({ name }) => `Remove it: bellhop admin reset ${name}.`,
  'hook secret': ({ name }) => `Store it again: bellhop hook create APP ${name} --secret-file …`,
  'move secret': ({ name, application }) =>
    `Point ${name}'s callers at its server, then end the forwarding here: bellhop app move ${application} --finish.`,
  'alert target': ({ name }) => `Add it again: bellhop alert delete ${name}, then bellhop alert add …`,
}

/** `the APNs credential of "Shop"` */
export function recordText({ name, provider }: Named): string {
  return `the ${whatOf(provider)} of "${name}"`
}

export function lostText(what: string): string {
  return `If that key is lost for good, bellhop key rotate --discard erases ${what}, and each application needs its credentials again.`
}

function whatOf(provider: Named['provider']): string {
  const gateway = PROVIDERS.find((one) => one === provider)
  return gateway === undefined ? provider : `${factsOf(gateway).gateway} credential`
}

const COMMANDS: Readonly<Record<string, string>> = { 'webhook secret': 'webhook', 'user key': 'user-key' }

function keyName(place: string | null): string {
  return `sealing key ${place ?? 'of the settings (BELLHOP_KEY, BELLHOP_KEY_FILE or the systemd credential bellhop-key)'}`
}
