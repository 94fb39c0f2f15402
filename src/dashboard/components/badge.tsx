import type { ComponentChildren } from 'preact'

export type BadgeLevel = 'good' | 'mind' | 'bad' | 'plain'

interface Props {
  readonly level: BadgeLevel
  /** A word or two that say it without the colour, too. */
  readonly children: ComponentChildren
}

/** The state of one thing. */
export function Badge({ level, children }: Props) {
  return <span class={`state ${level}`}>{children}</span>
}
