import BellhopCore
import Foundation
import UserNotifications

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Shows a push with its picture, and reports that it arrived if the app turned that on. iOS runs it for pushes with
/// `image` or `mutable`, and gives it 30 seconds. What fails leaves the notification as it came.
open class BellhopNotificationService: UNNotificationServiceExtension {
  /// That of `Bellhop.start`. Default: `group.` + the app's bundle ID + `.bellhop`.
  open var appGroup: String {
    // An extension's bundle ID is that of its app and a word.
    let bundle = (Bundle.main.bundleIdentifier ?? "").split(separator: ".").dropLast()
    return "group.\(bundle.joined(separator: ".")).bellhop"
  }

  private let lock = NSLock()
  private var content = UNMutableNotificationContent()
  private var show: ((UNNotificationContent) -> Void)?

  open override func didReceive(
    _ request: UNNotificationRequest,
    withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ) {
    guard let copy = request.content.mutableCopy() as? UNMutableNotificationContent else {
      contentHandler(request.content)
      return
    }
    lock.withLock { (content, show) = (copy, contentHandler) }
    let payload = request.content.userInfo
    let work = DispatchGroup()
    if let push = pushIn(payload) {
      let group = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: appGroup)
      DispatchQueue.global().async(group: work) { reportReceived(push, in: Store(group: group)) }
    }
    if let image = (payload["image"] as? String).flatMap(URL.init(string:)) {
      work.enter()
      attach(image) { work.leave() }
    }
    work.notify(queue: .global()) { self.finish() }
  }

  /// Shown without what is not there yet.
  open override func serviceExtensionTimeWillExpire() {
    finish()
  }

  private func finish() {
    let (content, show) = lock.withLock {
      defer { self.show = nil }
      return (self.content, self.show)
    }
    show?(content)
  }

  /// Downloads to a file: an extension has about 24 MB of memory.
  private func attach(_ image: URL, then done: @escaping () -> Void) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForResource = 25
    let session = URLSession(configuration: configuration)
    let task = session.downloadTask(with: image) { file, response, _ in
      if let file, let response = response as? HTTPURLResponse, response.statusCode == 200,
        let attachment = attachment(of: file, kind: kinds[response.mimeType ?? ""] ?? image.pathExtension)
      {
        self.lock.withLock { self.content.attachments = [attachment] }
      }
      done()
    }
    task.resume()
    session.finishTasksAndInvalidate()
  }
}

/// What iOS tells the kind of a picture from: the end of its file's name.
private let kinds = ["image/jpeg": "jpg", "image/png": "png", "image/gif": "gif"]

/// `nil`: it is no picture that iOS shows.
private func attachment(of file: URL, kind: String) -> UNNotificationAttachment? {
  let place = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).\(kind)")
  do {
    try FileManager.default.moveItem(at: file, to: place)
    return try UNNotificationAttachment(identifier: "image", url: place)
  } catch {
    return nil
  }
}
