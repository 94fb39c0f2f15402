import { createApplicationStore } from '../../application/application-store.ts'
import type { ApplicationStore } from '../../application/application-store.ts'
import type { Application } from '../../application/application.ts'
import { createCredentialStore } from '../../application/credential-store.ts'
import type { CredentialStore } from '../../application/credential-store.ts'
import type { Database } from '../../database/database.ts'
import { createRegistrySizeStore } from '../../device/registry-size-store.ts'
import { problem } from '../../failure.ts'
import { eraseContents } from '../../server/erase-application.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { done, problems } from '../command.ts'
import type { CommandOutcome } from '../command.ts'
import { openData } from '../open-data.ts'
import type { DataContext } from '../open-data.ts'
import type { AppCommand } from './app-arguments.ts'
import { putCredential } from './app-credential-command.ts'
import { simulate } from './app-simulate-command.ts'
import { applicationJson, createdText, limitsText, listText, rotatedText, secretJson, showText } from './app-text.ts'
import { runWebhookCommand, webhookOf } from './app-webhook-command.ts'

/** Works on the data directory itself, beside a running server or without one. */
export function runAppCommand(command: AppCommand, context: DataContext): CommandOutcome {
  // Only `create` may bring a directory into being: for the others a new one is a misspelled --data.
  const opened = openData(command.data, context, { create: command.kind === 'app create' })
  if (opened.kind !== 'open') return opened
  using database = opened.database
  return runOn(database, opened.data, command, context)
}

function runOn(database: Database, data: string, command: AppCommand, context: DataContext): CommandOutcome {
  const { clock } = context
  const applications = createApplicationStore({ database, clock })
  // Summaries are not sealed, so no key is needed to show them; nothing here seals or opens with this one.
  const credentials: Shown = createCredentialStore({ database, clock, key: new Uint8Array(32) })
  const sizes = createRegistrySizeStore({ database })
  const viewOf = (application: Application) => ({
    application,
    credentials: credentials.summaries(application),
    webhook: webhookOf(database, application),
    size: sizes.sizeOf(application.number),
  })

  if (command.kind === 'app create') return create(command, applications)
  if (command.kind === 'app list') {
    const views = applications.list().map(viewOf)
    return done(command.json ? jsonLine(views.map(applicationJson)) : listText(views))
  }

  const application = applications.find(command.app)
  const missing = problem(
    `There is no application "${command.app}" in ${data}: bellhop app list shows those there are.`,
  )
  if (application === null) return missing
  const { id, name } = application

  switch (command.kind) {
    case 'app show': {
      const view = viewOf(application)
      return done(command.json ? jsonLine(applicationJson(view)) : showText(view))
    }
    case 'app rotate-secret': {
      const rotated = applications.rotateSecret(id)
      if (rotated.kind === 'not-found') return missing
      const shown = { id, name, secret: rotated.secret }
      return done(command.json ? secretJson(shown) : rotatedText(shown))
    }
    case 'app delete':
      eraseContents(database, application.number)
      return applications.remove(id).kind === 'not-found'
        ? missing
        : done(`Erased the application "${escapeControls(name)}".\n`)
    case 'app apns':
    case 'app fcm':
      return putCredential(command, application, { ...context, database, dataDirectory: data })
    case 'app webhook':
      return runWebhookCommand(command, application, { ...context, database, dataDirectory: data })
    case 'app simulate':
      return simulate(command, application, { database, applications, credentials: viewOf(application).credentials })
    case 'app limits':
      break
  }
  if (Object.keys(command.limits).length === 0) return done(limitsText(application.limits))
  const changed = applications.setLimits(id, command.limits)
  return changed.kind === 'not-found' ? missing : done(limitsText(changed.application.limits))
}

type Shown = Pick<CredentialStore, 'summaries'>

function create(
  { name, json, data }: Extract<AppCommand, { kind: 'app create' }>,
  applications: Pick<ApplicationStore, 'create'>,
): CommandOutcome {
  const result = applications.create(name)
  if (result.kind === 'name-taken') return problem(`There is an application "${name}" already: choose another name.`)
  if (result.kind === 'name-invalid') {
    return problems('NAME must be 1 to 100 characters, without control characters and without white space at an end.')
  }
  const shown = { id: result.application.id, name: result.application.name, secret: result.secret }
  return done(json ? secretJson(shown) : createdText(shown, data))
}
