import { Fragment } from 'preact'
import type { ComponentChildren } from 'preact'

/** `beside`: in small letters after the value. */
type Figure = readonly [name: string, value: ComponentChildren, beside?: ComponentChildren]

export function Figures({ of }: { readonly of: readonly Figure[] }) {
  return (
    <dl class="figures">
      {of.map(([name, value, beside]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value} {beside !== undefined && <small>{beside}</small>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

export type Fact = readonly [name: string, value: ComponentChildren]

export function Facts({ of }: { readonly of: readonly Fact[] }) {
  return (
    <dl class="facts">
      {of.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  )
}
