import Foundation

/// Gives events to a keeper one after the other, on a thread of its own, and makes it try again when a wait is over.
package final class Runner: @unchecked Sendable {
  private let queue = DispatchQueue(label: "dev.bellhop")
  private let tell: @Sendable (Tell) -> Void
  private let hold: @Sendable (@escaping @Sendable (Bool) -> Void) -> Void
  private var keeper: Keeper?
  /// What happens before there is a keeper, or before it can read its state.
  private var early: [Event] = []
  private var again: DispatchWorkItem?

  /// Of what follows, which several threads use.
  private let lock = NSCondition()
  private var pending = 0
  private var isHeld = false

  /// `hold`: keeps the process from being suspended until what it gets returns, and calls that with `true` if it cannot.
  package init(
    tell: @escaping @Sendable (Tell) -> Void,
    hold: @escaping @Sendable (@escaping @Sendable (Bool) -> Void) -> Void = { _ in }
  ) {
    self.tell = tell
    self.hold = hold
  }

  package func start(
    _ server: Server, in store: Store, receipts: Bool, now: @escaping @Sendable () -> Int = nowMs
  ) {
    queue.async { self.keeper = Keeper(server, in: store, receipts: receipts, now: now) }
  }

  package func take(_ event: Event?) {
    work { self.run(event) }
  }

  package func setBadge(_ count: Int) {
    work { self.keeper?.setBadge(count) }
  }

  /// Returns when everything is done, or at once if time is up.
  package func settle(isExpired: Bool = false) {
    lock.withLock {
      while pending > 0 && !isExpired { lock.wait() }
      isHeld = false
    }
  }

  private func work(_ work: @escaping @Sendable () -> Void) {
    let isFirst = lock.withLock {
      defer { isHeld = true }
      pending += 1
      return !isHeld
    }
    queue.async {
      work()
      self.lock.withLock {
        self.pending -= 1
        self.lock.broadcast()
      }
    }
    // Once for all that is pending, as each costs a thread.
    if isFirst { hold { self.settle(isExpired: $0) } }
  }

  private func run(_ event: Event?) {
    if let event { early.append(event) }
    guard let keeper, let told = keeper.run(early) else { return }
    early = []
    told.forEach(tell)
    again?.cancel()
    guard let waitMs = keeper.waitMs else { return }
    let work = DispatchWorkItem { [weak self] in self?.run(nil) }
    again = work
    queue.asyncAfter(deadline: .now() + .milliseconds(waitMs), execute: work)
  }
}
