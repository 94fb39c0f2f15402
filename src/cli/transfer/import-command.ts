import { statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { createApplicationStore } from '../../application/application-store.ts'
import type { Application } from '../../application/application.ts'
import { problem } from '../../failure.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { counted, grouped } from '../../text/format.ts'
import { FOREIGN_FORMATS } from '../../transfer/detect.ts'
import { done, problems } from '../command.ts'
import type { CheckArguments, CommandOutcome, RunOnData } from '../command.ts'
import { findApplication } from '../find-application.ts'
import { readImportOptions } from './import-options.ts'
import type { ImportOptions } from './import-options.ts'
import { passOver, STOPPED } from './import-pass.ts'
import type { PassEnd } from './import-pass.ts'
import { planImport } from './import-plan.ts'
import type { ImportPlan } from './import-plan.ts'
import { rejectsHindrance } from './import-report.ts'
import { fetchOnesignalExport } from './onesignal-export.ts'
import { CutShort, openFile, openInput } from './import-source.ts'
import { browserHindrance, webPushKeyOf } from './subscribed-key.ts'
import type { Source } from './import-source.ts'

export const check: CheckArguments = readImportOptions

export const run: RunOnData = async (given, world) => {
  const options = readImportOptions(given)
  if (options.kind !== 'options') return options
  const { file, dryRun, onesignal } = options
  const base = file === '-' ? 'import' : basename(file)
  const rejectsPath = options.rejects ?? `${base}.rejects.jsonl`
  if (resolve(rejectsPath) === resolve(file)) return problems('--rejects must not be the same file as FILE.')
  const wrongPlace = rejectsHindrance(rejectsPath)
  if (wrongPlace !== null) return problem(wrongPlace)
  if (onesignal !== null) {
    const found = findApplication(options.app, world)
    if (found.kind !== 'found') return found
    const hindrance = await fetchOnesignalExport(onesignal, file, world)
    if (hindrance !== null) return hindrance
  }
  const name = file === '-' ? 'Standard input' : file
  const opened = await openSource(file, name)
  if (opened.kind !== 'source') return opened
  const { source } = opened
  const plan = planImport(source.head, name, options)
  if (plan.kind !== 'plan') return plan
  const found = findApplication(options.app, world)
  if (found.kind !== 'found') return found
  const { application } = found
  const own = webPushKeyOf(application, world)
  const browsers = browserHindrance({ format: plan.name, head: source.head, keyFile: options.vapidKey, own }, world)
  if (browsers.kind !== 'known') return browsers
  const { noBrowsers } = browsers

  const applications = createApplicationStore(world)
  world.stderr(`${escapeControls(plan.said)}\n`)
  const end = await passOver(
    {
      source,
      name,
      rows: { ...plan, platform: options.platform, noBrowsers, now: world.clock.now() },
      database: world.database,
      data: world.data,
      served: world.served,
      application: application.number,
      replace: options.replace,
      dryRun,
      isHere: () => applications.find(application.id) !== null,
      aliasName: aliasName(plan),
      adoptable() {
        const isSaid = applications.find(application.id)?.limits.adoptImported !== null
        if (isSaid) return
        applications.setLimits(application.id, { adoptImported: true })
        void world.changed()
      },
      rejectsPath,
      statePath: dryRun || file === '-' ? null : join(dirname(rejectsPath), `${base}.import-state`),
      identity: identityOf(options, plan, application, rejectsPath, noBrowsers === null),
    },
    world,
  )
  world.audit?.note({ ...end.counts })
  if (end.problem === STOPPED) return problem(stoppedText(end, options))
  if (end.problem !== null) return problem(`${end.problem} ${countsText(end, options, application)}`)
  return done(options.json ? endJson(end, options, plan, application) : `${countsText(end, options, application)}\n`)
}

async function openSource(
  file: string,
  name: string,
): Promise<{ readonly kind: 'source'; readonly source: Source } | CommandOutcome> {
  const wrong = file === '-' ? null : hindranceTo(file)
  if (wrong !== null) return problem(`${file} cannot be read: ${wrong}.`)
  try {
    return { kind: 'source', source: await (file === '-' ? openInput(Bun.stdin.stream()) : openFile(file)) }
  } catch (error) {
    if (error instanceof CutShort) return problem(`${name} is truncated or damaged: ${error.message}.`)
    throw error
  }
}

/** `null`: nothing. Throws if this user may not look. */
function hindranceTo(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return 'there is no such file'
  return found.isDirectory() ? 'it is a directory' : null
}

function aliasName({ name, map }: ImportPlan): string {
  return map.get('alias')?.[0] ?? FOREIGN_FORMATS[name]?.names.alias ?? 'alias'
}

function identityOf(
  options: ImportOptions,
  { name }: ImportPlan,
  { id }: Application,
  rejectsPath: string,
  withBrowsers: boolean,
): string {
  return JSON.stringify([id, name, options.map, options.platform, options.replace, rejectsPath, withBrowsers])
}

function stoppedText({ counts }: PassEnd, { file, dryRun }: ImportOptions): string {
  const next =
    file === '-' || dryRun
      ? 'run the command again: it starts over, which is safe'
      : 'run the command again to continue'
  return `Stopped after ${counted(counts.read, 'row')}: ${next}.`
}

function countsText(
  { counts, rejects }: PassEnd,
  { dryRun, file, onesignal }: ImportOptions,
  application: Application,
): string {
  const { read, imported, updated, unchanged, rejected, kept, partial, adoptable, history } = counts
  const figure = (count: number, words: string) => `${grouped(count)} ${words}`
  const more = [
    ...(kept > 0 ? [`${figure(kept, 'of the unchanged')} have newer data here than in the file.`] : []),
    ...(partial > 0 ? [`${figure(partial, 'came')} with data that could not be restored here.`] : []),
    ...(adoptable > 0 ? [figure(adoptable, adoptionText(adoptable, application))] : []),
    ...(history > 0 ? [`${figure(history, 'entries')} of feedback and statistics.`] : []),
    ...(rejects === null ? [] : [`Reasons by row: ${rejects}`]),
    ...(onesignal === null ? [] : [`The OneSignal export is in ${file}: delete it when you no longer need it.`]),
  ]
  const rows = [
    figure(imported, 'imported'),
    figure(updated, 'updated'),
    figure(unchanged, 'unchanged'),
    figure(rejected, 'rejected'),
  ]
  const all = dryRun ? `Dry run, nothing was changed. ${counted(read, 'row')}` : `${counted(read, 'row')} read`
  return [`${all}: ${rows.join(', ')}.`, ...more].join('\n')
}

/** Follows their number. */
function adoptionText(devices: number, { id, limits }: Application): string {
  const these = `of the imported ${devices === 1 ? 'has' : 'have'} a user`
  return limits.adoptImported === false
    ? `${these}. A new token of that user becomes an additional device: adopt-imported is off.`
    : `${these}: the user's next new token replaces ${devices === 1 ? 'it' : 'each of them'}, unless it registers first. bellhop app limits ${id} --no-adopt-imported turns that off.`
}

function endJson(
  { counts, rejects }: PassEnd,
  options: ImportOptions,
  { name }: ImportPlan,
  { id }: Application,
): string {
  const { file, dryRun } = options
  return jsonLine({ application: id, file, format: name, dry_run: dryRun, ...counts, rejects })
}
