interface Props {
  /** Where the list begins; `null`: here. */
  readonly first: string | null
  /** `null`: the list ends here. */
  readonly next: string | null
}

/** Below a list that has more than one page. */
export function Paging({ first, next }: Props) {
  if (first === null && next === null) return null
  return (
    <p class="buttons">
      {first !== null && <a href={first}>First page</a>}
      {next !== null && <a href={next}>Next page</a>}
    </p>
  )
}
