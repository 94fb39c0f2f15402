import { examine } from '../../doctor/doctor.ts'
import { inspectSettings, readSettings } from '../../settings/parse.ts'
import { bucketOpener } from '../backup/bucket-opener.ts'
import { done, failed, problems as misuse } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { noApplication } from '../find-application.ts'
import { dataDirectory } from '../data-directory.ts'
import { createWatch } from '../terminal/gauge.ts'
import { styleOf } from '../terminal/style.ts'
import { sendFromDoctor } from './doctor-send-command.ts'
import { doctorJson, doctorText } from './doctor-text.ts'

/** Checks what `serve` needs, with or without a running server. Fails if a check does. */
export const run: RunCommand = async ({ words, flags }, context) => {
  const { env, readFile, clock } = context
  const application = words[0] ?? null
  // Also settings that only `serve` needs.
  const { problems, warnings } = inspectSettings(flags, env, readFile)
  if (problems.length > 0) return { kind: 'problems', problems }
  const read = readSettings(
    [
      'data',
      'listen',
      'adminListen',
      'apnsUrl',
      'apnsSandboxUrl',
      'fcmUrl',
      'fcmTokenUrl',
      'pushServices',
      'gatewayCa',
      'proxy',
      'transport',
      'key',
      'tlsCert',
      'tlsKey',
      'backup',
      'backupEvery',
      'backupVerify',
    ],
    { flags, env, readFile },
  )
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
