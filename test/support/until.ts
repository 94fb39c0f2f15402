/**
 * Resolves when it is so: for what is told to nobody, and only seen. Between two looks the processor is left to what is
 * waited for, and to the tests beside.
 */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await Bun.sleep(2)
}
