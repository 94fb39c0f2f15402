import Foundation

/// What the extension needs to know, too.
package struct Kept: Codable, Equatable, Sendable {
  package let server: Server
  package let receipts: Bool
  package var state: State
}

/// Files in a folder that the app shares with its extension. Two processes and no lock: iOS ends an app that is suspended
/// while it locks a file of an app group (0xdead10cc), and Apple's TN2408 advises files that are replaced whole. So the app
/// alone writes `state.json`, and each report that the extension leaves is a file of its own, which the app takes in.
/// UserDefaults would look empty before the first unlock, and need a reason in the app's privacy manifest.
package struct Store: Sendable {
  package let folder: URL

  package enum Found {
    case kept(Kept)
    case nothing
    /// Before a phone is unlocked for the first time after it was started.
    case unreadable
  }

  /// `group`: of the app group, which app and extension share; `nil`: they have none.
  package init(group: URL?) {
    let own = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
    folder = (group?.appendingPathComponent("Library/Application Support") ?? own).appendingPathComponent("bellhop")
  }

  private var file: URL { folder.appendingPathComponent("state.json") }

  /// What an older version has left is nothing.
  package func read() -> Found {
    do {
      let data = try Data(contentsOf: file)
      return (try? JSONDecoder().decode(Kept.self, from: data)).map { .kept($0) } ?? .nothing
    } catch CocoaError.fileReadNoSuchFile {
      return .nothing
    } catch {
      return .unreadable
    }
  }

  func write(_ kept: Kept) {
    write(kept, to: file)
  }

  /// For the app to report; `nil`: it has not reported the last 200 either.
  func leave(_ report: Report) -> URL? {
    let place = folder.appendingPathComponent("left-\(UUID().uuidString).json")
    return left().count < mostReports && write(report, to: place) ? place : nil
  }

  /// What the extension has left, and where.
  func left() -> [(place: URL, report: Report)] {
    let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return (files ?? []).filter { $0.lastPathComponent.hasPrefix("left-") }.compactMap { place in
      guard let data = try? Data(contentsOf: place) else { return nil }
      return (try? JSONDecoder().decode(Report.self, from: data)).map { (place, $0) }
    }
  }

  func remove(_ place: URL) {
    // The other process may have been faster.
    try? FileManager.default.removeItem(at: place)
  }

  /// A full disk costs what is lost if the process ends now: the next write has it all.
  @discardableResult
  private func write(_ value: some Encodable, to place: URL) -> Bool {
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try JSONEncoder().encode(value).write(to: place, options: .atomic)
      return true
    } catch {
      return false
    }
  }
}

@Sendable package func nowMs() -> Int {
  Int((Date().timeIntervalSince1970 * 1000).rounded())
}
