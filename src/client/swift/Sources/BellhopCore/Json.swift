import Foundation

package typealias Fields = [String: Json]

/// JSON that is the same after it was written and read: a whole number stays one, and true is not 1.
package enum Json: Codable, Equatable, Sendable {
  case null
  case bool(Bool)
  case whole(Int)
  case number(Double)
  case text(String)
  case list([Json])
  case fields(Fields)

  /// `nil`: it is no JSON, such as a number that is not finite.
  package init?(_ value: any Encodable) {
    guard let data = try? JSONEncoder().encode(value), let json = Json(parsing: data) else { return nil }
    self = json
  }

  /// `nil`: it is no JSON.
  package init?(parsing data: Data) {
    guard let json = try? JSONDecoder().decode(Json.self, from: data) else { return nil }
    self = json
  }

  package init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let whole = try? value.decode(Int.self) {
      self = .whole(whole)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let list = try? value.decode([Json].self) {
      self = .list(list)
    } else {
      self = .fields(try value.decode(Fields.self))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .null: try value.encodeNil()
    case .bool(let bool): try value.encode(bool)
    case .whole(let whole): try value.encode(whole)
    case .number(let number): try value.encode(number)
    case .text(let text): try value.encode(text)
    case .list(let list): try value.encode(list)
    case .fields(let fields): try value.encode(fields)
    }
  }

  package var text: String? {
    if case .text(let text) = self { return text }
    return nil
  }

  package subscript(name: String) -> Json? {
    if case .fields(let fields) = self { return fields[name] }
    return nil
  }
}
