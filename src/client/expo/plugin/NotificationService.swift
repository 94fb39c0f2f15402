// Downloads the image of a push before iOS shows it, and reports that the push arrived, if the app asked for receipts.
// Type-checked on Linux against stand-ins; not built by Xcode and not run on a phone, 2026-11-27.
import Foundation
import UniformTypeIdentifiers
import UserNotifications

final class NotificationService: UNNotificationServiceExtension {
  private var show: (() -> Void)?

  override func didReceive(
    _ request: UNNotificationRequest,
    withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ) {
    guard let content = request.content.mutableCopy() as? UNMutableNotificationContent else {
      contentHandler(request.content)
      return
    }
    show = { contentHandler(content) }
    let work = DispatchGroup()
    if let text = content.userInfo["image"] as? String, let url = URL(string: text) {
      work.enter()
      download(url) { attachment in
        if let attachment { content.attachments = [attachment] }
        work.leave()
      }
    }
    if let push = (content.userInfo["bellhop"] as? [String: Any])?["push"] as? String, let receipt = Receipt(push) {
      work.enter()
      receipt.send { work.leave() }
    }
    work.notify(queue: .main) { self.finish() }
  }

  /// After about 30 seconds: without the image.
  override func serviceExtensionTimeWillExpire() { finish() }

  private func finish() {
    show?()
    show = nil
  }
}

private func download(_ url: URL, done: @escaping (UNNotificationAttachment?) -> Void) {
  URLSession.shared.downloadTask(with: url) { file, response, _ in
    guard let file, (response as? HTTPURLResponse)?.statusCode == 200 else { return done(nil) }
    // iOS knows the type of an attachment by its name.
    let type = response?.mimeType.flatMap { UTType(mimeType: $0) }?.preferredFilenameExtension ?? url.pathExtension
    let named = file.deletingPathExtension().appendingPathExtension(type)
    try? FileManager.default.moveItem(at: file, to: named)
    done(try? UNNotificationAttachment(identifier: "", url: named))
  }.resume()
}

/// The report that a push arrived: from what the app has left in the app group.
private struct Receipt {
  private let push: String
  private let folder: URL
  private let request: URLRequest

  /// `nil`: the app wants no receipts, or is not registered.
  init?(_ push: String) {
    // It becomes the name of a file.
    guard push.allSatisfy({ $0.isHexDigit || $0 == "-" }),
      let group = Bundle.main.object(forInfoDictionaryKey: "BellhopAppGroup") as? String,
      let folder = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group),
      let text = try? Data(contentsOf: folder.appendingPathComponent("bellhop.json")),
      let kept = try? JSONSerialization.jsonObject(with: text) as? [String: Any],
      kept["receipts"] as? Bool == true,
      let app = kept["app"] as? String, let home = kept["home"] as? String, let url = URL(string: home + "/stats"),
      let known = (kept["state"] as? [String: Any])?["known"] as? [String: Any], let token = known["token"] as? String
    else { return nil }
    var request = URLRequest(url: url, timeoutInterval: 10)
    request.httpMethod = "PUT"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue("1", forHTTPHeaderField: "Accept-Version")
    request.setValue(app, forHTTPHeaderField: "X-SERVICE-APPID")
    request.setValue("expo/0.0.0", forHTTPHeaderField: "X-BELLHOP-CLIENT")
    let body = ["platform": "0", "token": token, "id": push, "event": "received"]
    request.httpBody = try? JSONSerialization.data(withJSONObject: body)
    self.push = push
    self.folder = folder.appendingPathComponent("bellhop-received")
    self.request = request
  }

  func send(done: @escaping () -> Void) {
    URLSession.shared.dataTask(with: request) { data, response, _ in
      let status = (response as? HTTPURLResponse)?.statusCode ?? 503
      let said = data.flatMap { try? JSONSerialization.jsonObject(with: $0) } as? [String: Any]
      let isRefused = (400..<500).contains(status) && status != 408 && status != 429 && said?["code"] is String
      if !(200..<300).contains(status) && !isRefused { keep() }
      done()
    }.resume()
  }

  /// For the app, which reports it when it is opened: as many as the app itself keeps.
  private func keep() {
    let files = FileManager.default
    try? files.createDirectory(at: folder, withIntermediateDirectories: true)
    guard let kept = try? files.contentsOfDirectory(atPath: folder.path), kept.count < 200 else { return }
    files.createFile(atPath: folder.appendingPathComponent(push).path, contents: nil)
  }
}
