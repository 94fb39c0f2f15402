import type { ProviderName } from '../../admin/api-types/credential-types.ts'
import type { DeviceView } from '../../admin/api-types/device-types.ts'

export type WrittenPlatform = DeviceView['platform']

interface ShownPlatform {
  readonly name: string
  readonly model: string
  readonly choice: string
  readonly kind: 'ios' | 'android' | 'web'
}

export const PLATFORMS: Readonly<Record<WrittenPlatform, ShownPlatform>> = {
  '0': { name: 'iOS', model: 'iPhone', choice: 'an iPhone', kind: 'ios' },
  '1': { name: 'Android', model: 'Android', choice: 'an Android phone', kind: 'android' },
  '2': { name: 'Web', model: 'Browser', choice: 'a browser', kind: 'web' },
}

export const ALL_PLATFORMS = Object.keys(PLATFORMS) as readonly WrittenPlatform[]

interface ShownProvider {
  readonly name: string
  readonly asked: string
  readonly reached: string
}

export const PROVIDERS: Readonly<Record<ProviderName, ShownProvider>> = {
  apns: { name: 'Apple', asked: 'Apple', reached: 'iPhones and iPads' },
  fcm: { name: 'Google', asked: 'Google', reached: 'Android devices' },
  webpush: { name: 'Browsers', asked: 'push services', reached: 'browsers' },
}

export const ALL_PROVIDERS = Object.keys(PROVIDERS) as readonly ProviderName[]
