/// Keeps the state of this device, and makes the calls that are due. For one thread.
package final class Keeper {
  private let server: Server
  private let receipts: Bool
  private let store: Store
  private let now: @Sendable () -> Int
  private var state: State?

  package init(
    _ server: Server, in store: Store, receipts: Bool, now: @escaping @Sendable () -> Int = nowMs
  ) {
    self.server = server
    self.receipts = receipts
    self.store = store
    self.now = now
  }

  /// Takes events, and makes all calls that are due. What was refused; `nil`: the state cannot be read yet.
  func run(_ events: [Event]) -> [Tell]? {
    guard var state = open() else { return nil }
    var told: [Tell] = []
    func take(_ event: Event, at time: Int) {
      let (next, tell) = step(state, event, now: time, random: .random(in: 0..<1))
      state = next
      self.state = next
      store.write(Kept(server: server, receipts: receipts, state: next))
      if let tell { told.append(tell) }
    }
    for (place, report) in store.left() {
      if now() - report.at < dayMs {
        take(.report(id: report.id, event: report.event, action: report.action), at: report.at)
      }
      store.remove(place)
    }
    for event in events { take(event, at: now()) }
    while let due = next(state, now: now()) { take(server.call(due), at: now()) }
    return told
  }

  /// Not repeated: the next badge takes its place.
  func setBadge(_ count: Int) {
    guard let state = open(), let token = state.known?.token else { return }
    let body: Fields = ["platform": .text(state.platform), "token": .text(token), "setbadgecount": .whole(count)]
    _ = server.call(Request(kind: "badge", path: "badge", body: body))
  }

  /// How long nothing is sent after an error; `nil`: nothing waits.
  var waitMs: Int? {
    state?.wait.map { max($0.until - now(), 0) + 1 }
  }

  /// What is kept of another application is nothing.
  private func open() -> State? {
    if let state { return state }
    switch store.read() {
    case .kept(let kept) where kept.server.app == server.app: state = kept.state
    case .kept, .nothing: state = State(platform: "0")
    case .unreadable: break
    }
    return state
  }
}
