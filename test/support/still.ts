/** Calls that are answered, one after the other, while a count stays as it is. */
const CALLS = 20

/**
 * Resolves with a count once it is not 0 and grows no more, though whoever makes it grow goes on: a service answers
 * twenty calls meanwhile. Where the machine holds it up, it holds up the answers as well. `url`: of the service.
 */
export async function still(count: () => number, url: string): Promise<number> {
  let before = 0
  for (let answered = 0; answered < CALLS;) {
    await Bun.sleep(20)
    await (await fetch(`${url}/healthz`)).text()
    answered = before > 0 && count() === before ? answered + 1 : 0
    before = count()
  }
  return before
}
