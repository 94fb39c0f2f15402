import Foundation

@testable import BellhopCore

private struct Case: Decodable {
  let name: String
  var now: Int?
  var random: Double?
  let before: Fields
  var event: Json?
  var after: Fields?
  var request: Request?
  var tell: Tell?
}

private struct Withdrawing: Decodable {
  let name: String
  let bellhop: [String: String]
  let shown: [String: String?]
  let removed: Bool
}

private struct Vectors: Decodable {
  let cases: [Case]
  let withdrawals: [Withdrawing]
}

/// Runs the cases of vectors.json, and prints those that fail.
func runVectors(_ path: String) {
  let vectors = decoded(Vectors.self, FileManager.default.contents(atPath: path) ?? Data())
  let cases = vectors.cases
  var failed = 0
  for one in cases {
    let now = one.now ?? 1_000_000
    let before = stateOf(one.before)
    let random = one.random ?? 0.5
    let (state, tell) = one.event.map { step(before, eventOf($0), now: now, random: random) } ?? (before, nil)
    // As it is after it was kept, too.
    let kept = decoded(State.self, encoded(state))
    let wanted = stateOf(one.after ?? one.before)
    let due = next(state, now: now)
    if state == wanted && kept == wanted && due == one.request && tell == one.tell { continue }
    failed += 1
    print("\(one.name)\n  expected \(wanted) \(String(describing: one.request)) \(String(describing: one.tell))")
    print("  found    \(state) \(kept) \(String(describing: due)) \(String(describing: tell))")
  }
  for one in vectors.withdrawals {
    let withdrawal = Withdrawal(["bellhop": one.bellhop])
    let found = withdrawal?.removes(push: one.shown["push"] ?? nil, tag: one.shown["tag"] ?? nil) ?? false
    if found == one.removed { continue }
    failed += 1
    print("\(one.name): found \(found)")
  }
  let all = cases.count + vectors.withdrawals.count
  print("\(all - failed) of \(all) hold")
  exit(failed > 0 ? 1 : 0)
}

/// The state at first of the vectors is one of platform 1.
private func stateOf(_ fields: Fields) -> State {
  decoded(State.self, encoded(["platform": .text("1")].merging(fields) { $1 }))
}

func eventOf(_ json: Json) -> Event {
  func text(_ name: String) -> String { json[name]?.text ?? "" }
  switch text("kind") {
  case "token": return .token(text("token"), keys: json["keys"])
  case "set": return .set(decoded(Fields.self, encoded(json["device"])))
  case "login": return .login(user: text("user"), proof: json["proof"]?.text)
  case "logout": return .logout
  case "report": return .report(id: text("id"), event: text("event"), action: json["action"]?.text, clear: clear(json))
  case "leave": return .leave
  case "failed": return .failed
  case "resume": return .resume
  case "answered":
    let request = decoded(Request.self, encoded(json["request"]))
    let retryAfterS = json["retryAfterS"].map { decoded(Double.self, encoded($0)) }
    let status = decoded(Int.self, encoded(json["status"]))
    let (code, message) = (json["code"]?.text, json["message"]?.text)
    return .answered(request, status: status, retryAfterS: retryAfterS, code: code, message: message)
  default: fatalError("an event \(text("kind"))")
  }
}

private func clear(_ json: Json) -> Bool? {
  if case .bool(let clear)? = json["clear"] { return clear }
  return nil
}

func encoded(_ value: some Encodable) -> Data {
  try! JSONEncoder().encode(value)
}

private func decoded<Value: Decodable>(_ type: Value.Type, _ data: Data) -> Value {
  try! JSONDecoder().decode(type, from: data)
}
