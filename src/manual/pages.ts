import { nearest } from '../text/nearest.ts'
import access from './access.md' with { type: 'text' }
import admin from './admin.md' with { type: 'text' }
import agents from './agents.md' with { type: 'text' }
import alerts from './alerts.md' with { type: 'text' }
import android from './android.md' with { type: 'text' }
import api from './api.md' with { type: 'text' }
import apns from './apns.md' with { type: 'text' }
import app from './app.md' with { type: 'text' }
import audit from './audit.md' with { type: 'text' }
import backends from './backends.md' with { type: 'text' }
import backup from './backup.md' with { type: 'text' }
import beyond from './beyond.md' with { type: 'text' }
import changelog from './changelog.md' with { type: 'text' }
import commands from './commands.md' with { type: 'text' }
import compat from './compat.md' with { type: 'text' }
import credentials from './credentials.md' with { type: 'text' }
import dashboard from './dashboard.md' with { type: 'text' }
import design from './design.md' with { type: 'text' }
import docker from './docker.md' with { type: 'text' }
import doctor from './doctor.md' with { type: 'text' }
import errors from './errors.md' with { type: 'text' }
import expo from './expo.md' with { type: 'text' }
import failover from './failover.md' with { type: 'text' }
import faults from './faults.md' with { type: 'text' }
import fcm from './fcm.md' with { type: 'text' }
import figures from './figures.md' with { type: 'text' }
import flutter from './flutter.md' with { type: 'text' }
import fromExpo from './from-expo.md' with { type: 'text' }
import fromFirebase from './from-firebase.md' with { type: 'text' }
import fromGorush from './from-gorush.md' with { type: 'text' }
import fromOnesignal from './from-onesignal.md' with { type: 'text' }
import fromParse from './from-parse.md' with { type: 'text' }
import fromPinpoint from './from-pinpoint.md' with { type: 'text' }
import fromSns from './from-sns.md' with { type: 'text' }
import fromTwilio from './from-twilio.md' with { type: 'text' }
import fromWebpush from './from-webpush.md' with { type: 'text' }
import glossary from './glossary.md' with { type: 'text' }
import guarantees from './guarantees.md' with { type: 'text' }
import idempotency from './idempotency.md' with { type: 'text' }
import hooks from './hooks.md' with { type: 'text' }
import importing from './import.md' with { type: 'text' }
import ios from './ios.md' with { type: 'text' }
import limits from './limits.md' with { type: 'text' }
import log from './log.md' with { type: 'text' }
import monitoring from './monitoring.md' with { type: 'text' }
import moving from './moving.md' with { type: 'text' }
import move from './move.md' with { type: 'text' }
import opens from './opens.md' with { type: 'text' }
import preview from './preview.md' with { type: 'text' }
import proxy from './proxy.md' with { type: 'text' }
import push from './push.md' with { type: 'text' }
import reality from './reality.md' with { type: 'text' }
import releases from './releases.md' with { type: 'text' }
import retention from './retention.md' with { type: 'text' }
import schedule from './schedule.md' with { type: 'text' }
import sealingKey from './sealing-key.md' with { type: 'text' }
import segments from './segments.md' with { type: 'text' }
import server from './server.md' with { type: 'text' }
import settings from './settings.md' with { type: 'text' }
import simulator from './simulator.md' with { type: 'text' }
import sizing from './sizing.md' with { type: 'text' }
import status from './status.md' with { type: 'text' }
import tls from './tls.md' with { type: 'text' }
import troubleshooting from './troubleshooting.md' with { type: 'text' }
import upgrade from './upgrade.md' with { type: 'text' }
import users from './users.md' with { type: 'text' }
import web from './web.md' with { type: 'text' }
import webpush from './webpush.md' with { type: 'text' }
import webhooks from './webhooks.md' with { type: 'text' }

export interface ManualPage {
  /** Name of its file, and argument of `bellhop help`: `sealing-key`. */
  readonly topic: string
  readonly title: string
  /** One sentence. */
  readonly summary: string
  /** The whole page in Markdown. */
  readonly text: string
}

export interface MissingPage {
  readonly topic: string
  /** From `nearestPage`. */
  readonly near: string | null
}

/** From a first try to long-term operation. */
export const PAGES: readonly ManualPage[] = [
  page('simulator', simulator),
  page('credentials', credentials),
  page('app', app),
  page('ios', ios),
  page('android', android),
  page('web', web),
  page('expo', expo),
  page('flutter', flutter),
  page('backends', backends),
  page('webpush', webpush),
  page('agents', agents),
  page('push', push),
  page('segments', segments),
  page('users', users),
  page('schedule', schedule),
  page('preview', preview),
  page('idempotency', idempotency),
  page('status', status),
  page('opens', opens),
  page('webhooks', webhooks),
  page('hooks', hooks),
  page('api', api),
  page('errors', errors),
  page('access', access),
  page('apns', apns),
  page('fcm', fcm),
  page('reality', reality),
  page('server', server),
  page('docker', docker),
  page('proxy', proxy),
  page('tls', tls),
  page('settings', settings),
  page('commands', commands),
  page('dashboard', dashboard),
  page('admin', admin),
  page('audit', audit),
  page('backup', backup),
  page('sealing-key', sealingKey),
  page('upgrade', upgrade),
  page('monitoring', monitoring),
  page('alerts', alerts),
  page('log', log),
  page('limits', limits),
  page('retention', retention),
  page('sizing', sizing),
  page('doctor', doctor),
  page('troubleshooting', troubleshooting),
  page('faults', faults),
  page('moving', moving),
  page('from-onesignal', fromOnesignal),
  page('from-firebase', fromFirebase),
  page('from-parse', fromParse),
  page('from-sns', fromSns),
  page('from-pinpoint', fromPinpoint),
  page('from-twilio', fromTwilio),
  page('from-expo', fromExpo),
  page('from-gorush', fromGorush),
  page('from-webpush', fromWebpush),
  page('import', importing),
  page('compat', compat),
  page('guarantees', guarantees),
  page('figures', figures),
  page('design', design),
  page('beyond', beyond),
  page('failover', failover),
  page('move', move),
  page('releases', releases),
  page('changelog', changelog),
  page('glossary', glossary),
]

export function findPage(topic: string): ManualPage | null {
  return PAGES.find((each) => each.topic === topic) ?? null
}

/** The topic that was probably meant. */
export function nearestPage(topic: string): string | null {
  return nearest(
    topic,
    PAGES.map((page) => page.topic),
  )
}

/** Where a link leads: `server.md#is-it-well`, `#buckets`; `null`: out of the manual. */
export function placeOf(href: string): { readonly topic: string | null; readonly anchor: string } | null {
  const [, topic = '', anchor = ''] = /^(?:([a-z-]+)\.md)?(#[^/]+)?$/.exec(href) ?? []
  return topic === '' && anchor === '' ? null : { topic: topic === '' ? null : topic, anchor }
}

/** `text` begins with `# Title` and one sentence. */
function page(topic: string, text: string): ManualPage {
  const [, title, summary] = /^# (.+)\n\n((?:.+\n)+)\n/.exec(text) ?? []
  if (title === undefined || summary === undefined) throw new Error(`${topic}.md does not begin as a page does`)
  return { topic, title, summary: summary.trimEnd().replaceAll('\n', ' '), text }
}
