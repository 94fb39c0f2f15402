import { DOCTOR_SETTINGS } from '../../doctor/context.ts'
import type { DoctorConfig } from '../../doctor/context.ts'
import { examine } from '../../doctor/doctor.ts'
import type { HeardAnswer } from '../../doctor/send/listening.ts'
import { sendTestPushes, TEST_TEXT } from '../../doctor/send/send-probe.ts'
import type { SendReport, SendStep } from '../../doctor/send/send-probe.ts'
import { problem } from '../../failure.ts'
import type { Outcome } from '../../gateway/gateway.ts'
import { inspectSettings, readSettings } from '../../settings/parse.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { bucketOpener } from '../backup/bucket-opener.ts'
import { done, failed, problems as misuse } from '../command.ts'
import type { CommandContext, CommandOutcome, RunCommand } from '../command.ts'
import { dataDirectory } from '../data-directory.ts'
import { noApplication } from '../find-application.ts'
import { createWatch } from '../terminal/gauge.ts'
import { styleOf } from '../terminal/style.ts'
import { doctorJson, doctorText } from './doctor-text.ts'

/** With or without a running server. */
export const run: RunCommand = async ({ words, flags }, context) => {
  const { env, readFile, clock } = context
  const application = words[0] ?? null
  // Also settings that only `serve` needs.
  const { problems, warnings } = inspectSettings(flags, env, readFile)
  if (problems.length > 0) return { kind: 'problems', problems }
  const read = readSettings(DOCTOR_SETTINGS, { flags, env, readFile })
  if (read.kind === 'problems') return read

  const found = dataDirectory(flags, context)
  if (found.kind !== 'directory') return found
  const config = { ...read.config, data: found.data }
  const token = flags.get('send')
  if (token !== undefined) {
    if (application === null) return misuse('doctor --send needs the application: bellhop doctor APP --send TOKEN.')
    const asked = { config, application, token, confirmed: flags.has('yes'), json: flags.has('json') }
    return await sendFromDoctor(asked, context)
  }
  const moving = flags.has('moving')
  if (moving && application === null)
    return misuse('doctor --moving needs the application: bellhop doctor APP --moving.')
  const options = { config, warnings, application, offline: flags.has('offline'), full: flags.has('full'), moving }
  const examined = await examine(options, {
    env,
    readFile,
    clock,
    stopwatch: () => performance.now(),
    openBucket: bucketOpener(context),
    watch: createWatch(context, { quiet: flags.has('json') || !flags.has('full') }),
  })
  if (examined.kind === 'no-application') {
    return noApplication(application ?? '', config.data, examined.names)
  }
  const { checks } = examined
  const text = flags.has('json') ? doctorJson(checks) : doctorText(checks, styleOf(context))
  return checks.some(({ state }) => state === 'failed') ? failed(text) : done(text)
}

interface TestPush {
  readonly config: DoctorConfig
  readonly application: string
  readonly token: string
  readonly confirmed: boolean
  readonly json: boolean
}

/** Two pushes to the operator's own device. */
async function sendFromDoctor(given: TestPush, { clock }: CommandContext): Promise<CommandOutcome> {
  const sent = await sendTestPushes(given, { clock, stopwatch: () => performance.now() })
  if (sent.kind === 'problem') return sent
  if (sent.kind === 'no-application') return noApplication(given.application, given.config.data, sent.names)
  const left = sent.left === null ? '' : ` ${sent.left}`
  if (sent.kind === 'asks') {
    const what =
      sent.left === null ? `a silent push and one that shows "${TEST_TEXT}"` : `a push that shows "${TEST_TEXT}"`
    return problem(`This sends ${what} to the ${sent.device}.${left} Add --yes to do so.`)
  }
  const ok = sent.report.steps.every(({ outcome }) => outcome.kind === 'accepted')
  const text = given.json ? jsonLine({ ok, ...sent.report }) : sendText(sent.device, sent.report, sent.left)
  return ok ? done(text) : failed(text)
}

const TITLES = { silent: 'Silent push (wakes the app, shows nothing)', shown: `Shown push ("${TEST_TEXT}")` }

function sendText(device: string, { steps, ends }: SendReport, left: string | null): string {
  const lines = [
    `To the ${device}`,
    ...(left === null ? [] : [left]),
    ...steps.flatMap(linesOf),
    'Connections',
    ...ends.map(({ host, protocol, reason }) => {
      const end = reason === 'closed' ? 'closed by Bellhop after all answers' : `ended by ${reason}`
      return `  ${host}${protocol === null ? '' : ` over ${protocol}`}: ${end}`
    }),
    ...(ends.length === 0 ? ['  none was opened'] : []),
  ]
  return `${lines.map(escapeControls).join('\n')}\n`
}

function linesOf({ push, answers, outcome }: SendStep): readonly string[] {
  return [TITLES[push], ...answers.map((answer) => `  ${answerText(answer)}`), `  Bellhop: ${outcomeText(outcome)}`]
}

function answerText({ host, protocol, status, failure, headers, body, ms }: HeardAnswer): string {
  const way = protocol === null ? host : `${host} over ${protocol}`
  if (status === null) return `${way}: no answer (${failure ?? ''}) after ${ms} ms`
  const said = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const words = [...said, ...(body === '' ? [] : [body.replaceAll(/\s+/g, ' ')])]
  return `${way}: ${status} in ${ms} ms${words.length === 0 ? '' : ` (${words.join('; ')})`}`
}

const BLAMED = { token: 'the token', mismatch: 'the token, or the credential', push: 'the push' } as const

function outcomeText(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'accepted':
      return `accepted${outcome.environment === undefined ? '' : ` (${outcome.environment})`}`
    case 'unregistered':
      return `the app is gone from the device (${outcome.reason})`
    case 'rejected':
      return `refused, for ${BLAMED[outcome.blame]} (${outcome.reason})`
    case 'deferred':
      return `not right now (${outcome.reason}): serve would try again`
    case 'misconfigured':
      return `the credential is refused (${outcome.reason})`
  }
}
