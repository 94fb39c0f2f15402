// What a push carries, and the report that it arrived.

/// The push's ID, in what APNs delivers; `nil`: the application leaves it out.
package func pushIn(_ payload: [AnyHashable: Any]) -> String? {
  (payload["bellhop"] as? [String: Any])?["push"] as? String
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
  if let place, case .answered(_, let status, _, _) = answer, isFinal(status) { store.remove(place) }
}
