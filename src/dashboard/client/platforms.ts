import type { DeviceView } from '../../admin/api-types/device-types.ts'

export type WrittenPlatform = DeviceView['platform']

interface ShownPlatform {
  readonly name: string
  /** One of its devices, as the simulator has them, and in a choice. */
  readonly model: string
  readonly choice: string
  /** How a notification looks on it. */
  readonly kind: 'ios' | 'android' | 'web'
}

/** What a person sees of each platform. */
export const PLATFORMS: Readonly<Record<WrittenPlatform, ShownPlatform>> = {
  '0': { name: 'iOS', model: 'iPhone', choice: 'an iPhone', kind: 'ios' },
  '1': { name: 'Android', model: 'Android', choice: 'an Android phone', kind: 'android' },
  '2': { name: 'Web', model: 'Browser', choice: 'a browser', kind: 'web' },
}

export const ALL_PLATFORMS = Object.keys(PLATFORMS) as readonly WrittenPlatform[]
