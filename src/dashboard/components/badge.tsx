import type { ComponentChildren } from 'preact'

export type BadgeLevel = 'good' | 'mind' | 'bad' | 'plain'

interface Props {
  readonly level: BadgeLevel
  /** One or two words that say the same as the colour. */
  readonly children: ComponentChildren
}

export function Badge({ level, children }: Props) {
  return <span class={`state ${level}`}>{children}</span>
}
