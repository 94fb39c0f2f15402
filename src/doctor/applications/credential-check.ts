import { isRefusedByApple } from '../../application/vapid.ts'
import { DAY_MS } from '../../clock.ts'
import type { Platform } from '../../device/device.ts'
import { counted, dayOf } from '../../text/format.ts'
import type { DeviceStateCount, FoundApplication, VerifyingApplication } from '../database/inspection-store.ts'
import { failing, ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'
import type { ProviderName } from '../../platform.ts'
import { factsOf, PLATFORM, PLATFORMS, PROVIDERS } from '../../platform.ts'

export function judgeCredentials(
  { id, simulated }: Pick<FoundApplication, 'id' | 'simulated'>,
  providers: readonly ProviderName[],
  devices: readonly Pick<DeviceStateCount, 'platform' | 'registered'>[],
): Finding {
  const count = (platform: Platform): number =>
    devices.reduce((sum, each) => sum + (each.platform === platform ? each.registered : 0), 0)
  if (simulated) {
    if (providers.length === 0) return ok('It sends to the built-in simulator, where no phone is reached.')
    if (providers.every((provider) => factsOf(provider).isRealWhenSimulated)) {
      const real = providers.map((provider) => `${factsOf(provider).device}s`).join(' and ')
      return ok(`It sends to the built-in simulator, where no phone is reached, and to ${real} for real.`)
    }
    return warning(
      'It has credentials, but uses the built-in simulator: no real phone is reached.',
      `If this is not intended: bellhop app simulate ${id} --off.`,
    )
  }
  const lacking = PLATFORMS.flatMap((platform) => {
    const { provider, device, gateway } = PLATFORM[platform]
    if (providers.includes(provider) || count(platform) === 0) return []
    return [`${counted(count(platform), device)} and no ${gateway} credential`]
  })
  const commands = PROVIDERS.map((provider) => `bellhop app ${provider} ${id}`).join(', ')
  const store = `Store one: ${commands}; or try it without: bellhop app simulate ${id}.`
  if (lacking.length > 0) return warning(`It has ${lacking.join(', and ')}: pushes to them wait.`, store)
  if (providers.length === 0) return warning('It has no credential: pushes have nowhere to go.', store)
  return ok(`It has a credential for ${providers.map((provider) => factsOf(provider).gateway).join(' and ')}.`)
}

/** A new certificate needs someone with an Apple developer account. */
const SOON_MS = 30 * DAY_MS

export function judgeCertificate(expiresAt: number, now: number, application: string): Finding {
  const day = dayOf(expiresAt)
  const renew = `Create a new one at developer.apple.com, or better a key (.p8), which does not expire, and store it: bellhop app apns ${application}.`
  if (now >= expiresAt) return failing(`The certificate for APNs expired on ${day}: nothing reaches iPhones.`, renew)
  if (expiresAt - now < SOON_MS) return warning(`The certificate for APNs expires on ${day}.`, renew)
  return ok(`The certificate for APNs is valid until ${day}.`)
}

/** Older versions stored VAPID contacts that Apple refuses. */
export function judgeSubject(subject: string, application: string): Finding | null {
  if (!isRefusedByApple(subject)) return null
  return warning(
    `Apple refuses the VAPID subject ${subject}, with 403 BadJwtToken: no push reaches Safari, and no browser of an iPhone or iPad.`,
    `Give an address at a public domain: bellhop app webpush ${application} --subject mailto:push@shop.example. The key, and with it each browser, stays.`,
  )
}

export function judgeUserKey({ hasUserKey }: Pick<VerifyingApplication, 'hasUserKey'>, application: string): Finding {
  if (hasUserKey === 1) return ok('It verifies users, and has a user key.')
  return warning(
    'It verifies users, but has no user key: no app can link its device to a user.',
    `Create one: bellhop app user-key ${application}.`,
  )
}
