// The contract of Bellhop's client libraries as pure functions: contract.md beside this library in Bellhop's source.

private let secondMs = 1000
let dayMs = 86_400 * secondMs
private let longestWaitMs = 900 * secondMs
let mostReports = 200
private let userFields = ["user", "user_proof"]

/// What a state becomes, and what was refused. `random`: in 0..<1.
func step(_ state: State, _ event: Event, now: Int, random: Double) -> (State, Tell?) {
  var next = state
  next.reports.removeAll { now - $0.at >= dayMs }
  switch event {
  case .token(let token, let keys):
    next.token = token
    next.leaving = false
    if let keys { next.device["keys"] = keys }
  case .set(let device):
    if let user = device["user"] {
      next.device["user_proof"] = nil
      next.signOut = next.signOut || knowsOther(next.known, user)
    }
    next.device.merge(device) { $1 }
  case .login(let user, let proof):
    next.device["user"] = .text(user)
    next.device["user_proof"] = proof.map { .text($0) }
    next.signOut = next.signOut || knowsOther(next.known, .text(user))
  case .logout:
    signOut(&next)
  case .report(let id, let event, let action, let clear):
    next.reports.append(Report(id: id, event: event, action: action, clear: clear, at: now))
    next.reports = next.reports.suffix(mostReports)
  case .leave:
    next.leaving = true
    // Whoever comes back before the server heard of it is not the user of before.
    signOut(&next)
  case .answered(let request, let status, let retryAfterS, let code, let message):
    if !isFinal(status, code: code) {
      next.wait = waitAfter(state.wait, now: now, random: random, retryAfterS: retryAfterS)
      return (next, nil)
    }
    next.wait = nil
    let isTaken = (200..<300).contains(status)
    let tell = isTaken ? nil : Tell(kind: request.kind, status: status, message: message)
    settle(&next, request, tell: tell, now: now)
    return (next, tell)
  case .failed:
    next.wait = waitAfter(state.wait, now: now, random: random, retryAfterS: nil)
  case .resume:
    if state.wait?.asked != true { next.wait = nil }
  }
  return (next, nil)
}

/// The request that is due; `nil`: none.
func next(_ state: State, now: Int) -> Request? {
  let platform = Json.text(state.platform)
  if let wait = state.wait, isOpen(wait, now: now) { return nil }
  if state.leaving {
    guard let known = state.known else { return nil }
    return Request(kind: "leave", path: "deviceToken/del", body: ["token": .text(known.token), "platform": platform])
  }
  if state.signOut, let known = state.known {
    var body: Fields = ["token": .text(known.token), "platform": platform, "user": .text("")]
    body["keys"] = known.body["keys"]
    return Request(kind: "sign-out", path: "deviceToken", body: body)
  }
  if let token = state.token {
    var body = state.device.merging(["token": .text(token), "platform": platform]) { $1 }
    let isKnown = state.known.map { $0.body == body && abs(now - $0.at) < dayMs } ?? false
    let isRefused = state.refused.map { $0.body == body && abs(now - $0.at) < dayMs } ?? false
    if !isKnown && !isRefused {
      if let before = state.known?.token, before != token { body["replaces"] = .text(before) }
      return Request(kind: "register", path: "deviceToken", body: body)
    }
  }
  guard let report = state.reports.first, let known = state.known else { return nil }
  return reporting(report, token: known.token, platform: state.platform)
}

/// Whether it was accepted, or is refused for good.
func isFinal(_ status: Int, code: String?) -> Bool {
  if (200..<300).contains(status) { return true }
  return (400..<500).contains(status) && status != 408 && status != 429 && code != nil
}

func reporting(_ report: Report, token: String, platform: String) -> Request {
  let device: Fields = ["platform": .text(platform), "token": .text(token)]
  return Request(kind: "report", path: "stats", body: device.merging(report.fields) { $1 })
}

private func signOut(_ state: inout State) {
  for name in userFields { state.device[name] = nil }
  state.signOut = state.signOut || knowsOther(state.known, nil)
}

/// What has changed with the last word on a request.
private func settle(_ state: inout State, _ request: Request, tell: Tell?, now: Int) {
  switch request.kind {
  case "report":
    state.reports.removeAll { report in
      ["id", "event", "action"].allSatisfy { report.fields[$0] == request.body[$0] }
    }
  case "leave":
    state.known = nil
    state.refused = nil
    state.signOut = false
  case "sign-out":
    state.signOut = false
    for name in userFields { state.known?.body[name] = nil }
  default:
    var said = request.body
    said["replaces"] = nil
    // The token that the library before this one had is said once.
    if tell != nil || request.body["replaces"] == state.device["replaces"] { state.device["replaces"] = nil }
    if let tell {
      state.refused = Refused(body: said, at: now, status: tell.status, message: tell.message)
      return
    }
    let accepted = Known(token: said["token"]?.text ?? "", body: said, at: now)
    state.known = accepted
    state.refused = nil
    // Somebody may have signed out, or in, while it was on its way.
    state.signOut = knowsOther(accepted, state.device["user"])
  }
}

/// Whether the server knows a user, and another one than `user`.
private func knowsOther(_ known: Known?, _ user: Json?) -> Bool {
  guard let before = known?.body["user"], before != .text("") else { return false }
  return before != user
}

private func isOpen(_ wait: Wait, now: Int) -> Bool {
  now < wait.until && wait.until - now <= (wait.asked == true ? dayMs : longestWaitMs)
}

private func waitAfter(_ wait: Wait?, now: Int, random: Double, retryAfterS: Double?) -> Wait {
  let attempt = (wait?.attempt ?? 0) + 1
  let longest = Double(min(secondMs << min(attempt - 1, 20), longestWaitMs))
  let own = longest * (1 + random) / 2
  let asked = min((retryAfterS ?? 0) * Double(secondMs), Double(dayMs))
  return Wait(attempt: attempt, until: now + Int(max(own, asked).rounded()), asked: asked > own ? true : nil)
}
