import { Fragment } from 'preact'
import type { ComponentChildren } from 'preact'

type Named = readonly (readonly [name: string, value: ComponentChildren])[]

/** The few numbers that a page is about, large. */
export function Figures({ of }: { readonly of: Named }) {
  return (
    <dl class="figures">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** What is known of something, line by line. */
export function Facts({ of }: { readonly of: Named }) {
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
