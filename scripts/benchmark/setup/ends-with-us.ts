interface Child {
  readonly exited: Promise<number>
  kill(signal: 'SIGKILL'): void
}

const running = new Set<Child>()
let watching = false

/** Kills `child` if this process exits first. Returns it. */
export function endsWithUs<T extends Child>(child: T): T {
  if (!watching) process.on('exit', killAll)
  watching = true
  running.add(child)
  void child.exited.then(() => running.delete(child))
  return child
}

function killAll(): void {
  for (const child of running) child.kill('SIGKILL')
}
