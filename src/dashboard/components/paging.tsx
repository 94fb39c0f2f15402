interface Props {
  /** Cursor of this page; `''`: the first one. */
  readonly from: string
  /** Cursor of the next page; `null`: none. */
  readonly next: string | number | null
  readonly pageOf: (from: string) => string
}

export function Paging({ from, next, pageOf }: Props) {
  if (from === '' && next === null) return null
  return (
    <p class="buttons">
      {from !== '' && <a href={pageOf('')}>First page</a>}
      {next !== null && <a href={pageOf(String(next))}>Next page</a>}
    </p>
  )
}
