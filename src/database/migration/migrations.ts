import initial from '../../../migrations/0001_initial.sql' with { type: 'text' }
import providerToken from '../../../migrations/0002_provider_token.sql' with { type: 'text' }
import labelTrigger from '../../../migrations/0003_label_trigger.sql' with { type: 'text' }
import pushLife from '../../../migrations/0004_push_life.sql' with { type: 'text' }
import devicePlace from '../../../migrations/0005_device_place.sql' with { type: 'text' }
import webhook from '../../../migrations/0006_webhook.sql' with { type: 'text' }
import deviceMove from '../../../migrations/0007_device_move.sql' with { type: 'text' }
import opened from '../../../migrations/0008_opened.sql' with { type: 'text' }
import registryBounds from '../../../migrations/0009_registry_bounds.sql' with { type: 'text' }
import pushId from '../../../migrations/0010_push_id.sql' with { type: 'text' }
import leftDevice from '../../../migrations/0011_left_device.sql' with { type: 'text' }
import removedRecipients from '../../../migrations/0012_removed_recipients.sql' with { type: 'text' }
import waitingDelivery from '../../../migrations/0013_waiting_delivery.sql' with { type: 'text' }
import refusedPush from '../../../migrations/0014_refused_push.sql' with { type: 'text' }
import clockJump from '../../../migrations/0015_clock_jump.sql' with { type: 'text' }
import secretEverywhere from '../../../migrations/0016_secret_everywhere.sql' with { type: 'text' }
import deviceUser from '../../../migrations/0017_device_user.sql' with { type: 'text' }
import deviceLocale from '../../../migrations/0018_device_locale.sql' with { type: 'text' }
import receipt from '../../../migrations/0019_receipt.sql' with { type: 'text' }
import userKey from '../../../migrations/0020_user_key.sql' with { type: 'text' }
import administrator from '../../../migrations/0021_administrator.sql' with { type: 'text' }
import adoptedDevice from '../../../migrations/0022_adopted_device.sql' with { type: 'text' }
import secretOverlap from '../../../migrations/0023_secret_overlap.sql' with { type: 'text' }
import webPush from '../../../migrations/0024_web_push.sql' with { type: 'text' }
import resend from '../../../migrations/0025_resend.sql' with { type: 'text' }
import pushLanguage from '../../../migrations/0026_push_language.sql' with { type: 'text' }
import registryDay from '../../../migrations/0027_registry_day.sql' with { type: 'text' }
import acceptance from '../../../migrations/0028_acceptance.sql' with { type: 'text' }
import badgeLease from '../../../migrations/0029_badge_lease.sql' with { type: 'text' }
import serviceTime from '../../../migrations/0030_service_time.sql' with { type: 'text' }
import fcmPlatform from '../../../migrations/0031_fcm_platform.sql' with { type: 'text' }
import tokenCase from '../../../migrations/0032_token_case.sql' with { type: 'text' }
import labelNetwork from '../../../migrations/0033_label_network.sql' with { type: 'text' }
import secondFactor from '../../../migrations/0034_second_factor.sql' with { type: 'text' }
import auditLog from '../../../migrations/0035_audit_log.sql' with { type: 'text' }
import appVersion from '../../../migrations/0036_app_version.sql' with { type: 'text' }
import moveInServiceTime from '../../../migrations/0037_move_in_service_time.sql' with { type: 'text' }
import hook from '../../../migrations/0038_hook.sql' with { type: 'text' }
import client from '../../../migrations/0039_client.sql' with { type: 'text' }
import applicationMove from '../../../migrations/0040_application_move.sql' with { type: 'text' }
import alert from '../../../migrations/0041_alert.sql' with { type: 'text' }
import takeBack from '../../../migrations/0042_take_back.sql' with { type: 'text' }
import madeBy from '../../../migrations/0043_made_by.sql' with { type: 'text' }

export interface Migration {
  readonly number: number
  readonly sql: string
}

/** In order; a number is never reused and a text never changed once released. */
export const MIGRATIONS: readonly Migration[] = [
  { number: 1, sql: initial },
  { number: 2, sql: providerToken },
  { number: 3, sql: labelTrigger },
  { number: 4, sql: pushLife },
  { number: 5, sql: devicePlace },
  { number: 6, sql: webhook },
  { number: 7, sql: deviceMove },
  { number: 8, sql: opened },
  { number: 9, sql: registryBounds },
  { number: 10, sql: pushId },
  { number: 11, sql: leftDevice },
  { number: 12, sql: removedRecipients },
  { number: 13, sql: waitingDelivery },
  { number: 14, sql: refusedPush },
  { number: 15, sql: clockJump },
  { number: 16, sql: secretEverywhere },
  { number: 17, sql: deviceUser },
  { number: 18, sql: deviceLocale },
  { number: 19, sql: receipt },
  { number: 20, sql: userKey },
  { number: 21, sql: administrator },
  { number: 22, sql: adoptedDevice },
  { number: 23, sql: secretOverlap },
  { number: 24, sql: webPush },
  { number: 25, sql: resend },
  { number: 26, sql: pushLanguage },
  { number: 27, sql: registryDay },
  { number: 28, sql: acceptance },
  { number: 29, sql: badgeLease },
  { number: 30, sql: serviceTime },
  { number: 31, sql: fcmPlatform },
  { number: 32, sql: tokenCase },
  { number: 33, sql: labelNetwork },
  { number: 34, sql: secondFactor },
  { number: 35, sql: auditLog },
  { number: 36, sql: appVersion },
  { number: 37, sql: moveInServiceTime },
  { number: 38, sql: hook },
  { number: 39, sql: client },
  { number: 40, sql: applicationMove },
  { number: 41, sql: alert },
  { number: 42, sql: takeBack },
  { number: 43, sql: madeBy },
]

/** Older databases are upgraded to it, newer ones refused. */
export const NEWEST_SCHEMA = MIGRATIONS.at(-1)?.number ?? 0
