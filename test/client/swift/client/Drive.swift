import Foundation
import UserNotifications

@testable import BellhopCore

/// Takes an event a line, `null` for none, and answers each with the state and what was refused: see drive.ts.
func drive(server: String, app: String) {
  nonisolated(unsafe) var told: [Fields] = []
  let later = Later()
  let runner = Runner(tell: { told.append(["kind": .text($0.kind), "status": .whole($0.status)]) })
  let shared = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "")
  let store = Store(group: shared ?? FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString))
  runner.start(Server(app: app, address: server), in: store, receipts: true) { nowMs() + later.ms }
  while let line = readLine() {
    let event = Json(parsing: Data(line.utf8)) ?? .null
    if event["kind"] == .text("later"), case .whole(let ms)? = event["ms"] {
      later.ms += ms
      runner.take(nil)
    } else {
      runner.take(event == .null ? nil : eventOf(event))
    }
    runner.settle()
    var state: Json = .null
    if case .kept(let kept) = store.read() { state = Json(kept.state) ?? .null }
    // What is missing is as at first.
    if case .fields(let fields) = state { state = .fields(["known": .null, "wait": .null].merging(fields) { $1 }) }
    let answer = encoded(["state": state, "told": .list(told.map { .fields($0) })])
    FileHandle.standardOutput.write(answer + Data("\n".utf8))
    told = []
  }
}

/// How far the clock is set forward, between two events.
private final class Later: @unchecked Sendable {
  var ms = 0
}
