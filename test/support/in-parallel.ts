/** Works through `items` in their order, `jobs` at a time. Rejects with the first failure. */
export async function inParallel<Item>(
  items: Iterable<Item>,
  jobs: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const waiting = [...items]
  async function lane(): Promise<void> {
    while (waiting.length > 0) await work(waiting.shift() as Item)
  }
  await Promise.all(Array.from({ length: jobs }, lane))
}
