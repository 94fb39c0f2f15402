// What a push carries, and the report that it arrived.

/// The push's ID, in what APNs delivers; `nil`: the application leaves it out.
package func pushIn(_ payload: [AnyHashable: Any]) -> String? {
  (payload["bellhop"] as? [String: Any])?["push"] as? String
}

/// What a push removes from the screen.
package struct Withdrawal {
  private let push: String
  private let tag: String?

  /// `nil`: it removes nothing.
  package init?(_ payload: [AnyHashable: Any]) {
    let bellhop = payload["bellhop"] as? [String: Any]
    guard let push = bellhop?["withdrawn"] as? String else { return nil }
    self.push = push
    tag = bellhop?["tag"] as? String
  }

  /// `push`: of what is shown, `nil` where it is not known. `tag`: its collapse ID, which iOS takes for its identifier.
  package func removes(push: String?, tag: String?) -> Bool {
    push.map { $0 == self.push } ?? (tag == self.tag)
  }
}

/// Reports that a push arrived, from the extension. It is left for the app first, in case the extension is ended. One that
/// arrives twice does not matter, since the server counts each device once.
package func reportReceived(_ push: String, in store: Store) {
  guard case .kept(let kept) = store.read(), kept.receipts, let token = kept.state.known?.token else { return }
  let report = Report(id: push, event: "received", action: nil, at: nowMs())
  let place = store.leave(report)
  let request = reporting(report, token: token, platform: kept.state.platform)
  // The notification is shown after it.
  let answer = kept.server.call(request, timeoutS: 5)
  if let place, case .answered(_, let status, _, let code, _) = answer, isFinal(status, code: code) {
    store.remove(place)
  }
}
