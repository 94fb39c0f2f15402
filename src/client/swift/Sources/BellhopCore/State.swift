// What contract.md calls the state, events and requests. Times are ms since 1970.

package struct Known: Codable, Equatable, Sendable {
  package let token: String
  var body: Fields
  let at: Int
}

struct Wait: Codable, Equatable, Sendable {
  let attempt: Int
  let until: Int
  var asked: Bool?
}

struct Refused: Codable, Equatable, Sendable {
  let body: Fields
  let at: Int
  let status: Int
  let message: String?
}

package struct Report: Codable, Equatable, Sendable {
  let id: String
  let event: String
  var action: String?
  var clear: Bool?
  let at: Int

  var fields: Fields {
    var said: Fields = ["id": .text(id), "event": .text(event)]
    said["action"] = action.map { .text($0) }
    said["clear"] = clear.map { .bool($0) }
    return said
  }
}

package struct Request: Codable, Equatable, Sendable {
  let kind: String
  let path: String
  let body: Fields
}

/// What was refused, for the app's developer.
package struct Tell: Codable, Equatable, Sendable {
  package let kind: String
  package let status: Int
  package let message: String?
}

package enum Event: Equatable, Sendable {
  /// `keys`: of a browser.
  case token(String, keys: Json? = nil)
  case set(Fields)
  case login(user: String, proof: String?)
  case logout
  case report(id: String, event: String, action: String? = nil, clear: Bool? = nil)
  case leave
  case answered(Request, status: Int, retryAfterS: Double?, code: String?, message: String?)
  case failed
  case resume
}

package struct State: Codable, Equatable, Sendable {
  var platform: String
  var token: String?
  var device: Fields = [:]
  package var known: Known?
  var signOut = false
  var leaving = false
  var refused: Refused?
  var wait: Wait?
  var reports: [Report] = []

  init(platform: String) {
    self.platform = platform
  }

  /// Fields that are missing are as at first.
  package init(from decoder: any Decoder) throws {
    let json = try decoder.container(keyedBy: CodingKeys.self)
    platform = try json.decode(String.self, forKey: .platform)
    token = try json.decodeIfPresent(String.self, forKey: .token)
    device = try json.decodeIfPresent(Fields.self, forKey: .device) ?? [:]
    known = try json.decodeIfPresent(Known.self, forKey: .known)
    signOut = try json.decodeIfPresent(Bool.self, forKey: .signOut) ?? false
    leaving = try json.decodeIfPresent(Bool.self, forKey: .leaving) ?? false
    // An older version has kept the body alone.
    refused = try? json.decodeIfPresent(Refused.self, forKey: .refused)
    wait = try json.decodeIfPresent(Wait.self, forKey: .wait)
    reports = try json.decodeIfPresent([Report].self, forKey: .reports) ?? []
  }
}
