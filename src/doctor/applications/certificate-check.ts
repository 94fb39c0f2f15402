import { DAY_MS } from '../../clock.ts'
import { failing, ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'
import { dayOf } from '../quantity.ts'

/** Making a new one takes a developer with an account at Apple. */
const SOON_MS = 30 * DAY_MS

/** The stored certificate for APNs. Times are ms since the Unix epoch; `application` is `Application.id`. */
export function judgeCertificate(expiresAt: number, now: number, application: string): Finding {
  const day = dayOf(expiresAt)
  const renew = `Make a new one at developer.apple.com, or better a key (.p8) that does not expire, and store it: bellhop app apns ${application}.`
  if (now >= expiresAt) return failing(`The certificate for APNs expired on ${day}: nothing reaches iPhones.`, renew)
  if (expiresAt - now < SOON_MS) return warning(`The certificate for APNs expires on ${day}.`, renew)
  return ok(`The certificate for APNs is good until ${day}.`)
}
