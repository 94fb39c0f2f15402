// What the library uses of UserNotifications, so that it compiles without it. Of what can be tested it does as much.
import Foundation

open class UNNotificationContent: NSObject, NSMutableCopying {
  open fileprivate(set) var userInfo: [AnyHashable: Any] = [:]
  open fileprivate(set) var attachments: [UNNotificationAttachment] = []

  public func mutableCopy(with zone: NSZone? = nil) -> Any {
    let copy = UNMutableNotificationContent()
    copy.userInfo = userInfo
    return copy
  }

  open override func mutableCopy() -> Any { mutableCopy(with: nil) }
}

open class UNMutableNotificationContent: UNNotificationContent {
  open override var userInfo: [AnyHashable: Any] {
    get { super.userInfo }
    set { super.userInfo = newValue }
  }
  open override var attachments: [UNNotificationAttachment] {
    get { super.attachments }
    set { super.attachments = newValue }
  }
}

open class UNNotificationAttachment: NSObject {
  public let url: URL

  /// Throws as iOS does, where the name of the file does not tell that it is a picture.
  public init(identifier: String, url: URL, options: [AnyHashable: Any]? = nil) throws {
    guard ["gif", "jpeg", "jpg", "png"].contains(url.pathExtension), FileManager.default.fileExists(atPath: url.path)
    else { throw CocoaError(.fileReadUnknown) }
    self.url = url
  }
}

open class UNNotificationTrigger: NSObject {}

open class UNPushNotificationTrigger: UNNotificationTrigger {}

open class UNNotificationRequest: NSObject {
  public let identifier: String
  public let content: UNNotificationContent
  public let trigger: UNNotificationTrigger?

  public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
    self.identifier = identifier
    self.content = content
    self.trigger = trigger
  }
}

open class UNNotification: NSObject {
  public let request: UNNotificationRequest

  public init(request: UNNotificationRequest) {
    self.request = request
  }
}

open class UNNotificationResponse: NSObject {
  public let notification: UNNotification
  public let actionIdentifier: String

  public init(notification: UNNotification, actionIdentifier: String) {
    self.notification = notification
    self.actionIdentifier = actionIdentifier
  }
}

public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"
public let UNNotificationDismissActionIdentifier = "com.apple.UNNotificationDismissActionIdentifier"

public struct UNNotificationPresentationOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let badge = Self(rawValue: 1)
  public static let sound = Self(rawValue: 2)
  public static let list = Self(rawValue: 8)
  public static let banner = Self(rawValue: 16)
}

public struct UNAuthorizationOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let badge = Self(rawValue: 1)
  public static let sound = Self(rawValue: 2)
  public static let alert = Self(rawValue: 4)
  public static let provisional = Self(rawValue: 64)
}

public protocol UNUserNotificationCenterDelegate: AnyObject {
  func userNotificationCenter(
    _ center: UNUserNotificationCenter,
    willPresent notification: UNNotification,
    withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
  )
  func userNotificationCenter(
    _ center: UNUserNotificationCenter,
    didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping () -> Void
  )
}

open class UNUserNotificationCenter: NSObject, @unchecked Sendable {
  private static let one = UNUserNotificationCenter()
  open class func current() -> UNUserNotificationCenter { one }
  open weak var delegate: (any UNUserNotificationCenterDelegate)?
  /// What is on the screen.
  public var delivered: [UNNotification] = []
  open func getDeliveredNotifications(completionHandler: @escaping ([UNNotification]) -> Void) {
    completionHandler(delivered)
  }
  open func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
    delivered.removeAll { identifiers.contains($0.request.identifier) }
  }
  open func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool { true }
  open func setBadgeCount(_ count: Int, withCompletionHandler: (@Sendable ((any Error)?) -> Void)? = nil) {}
}

open class UNNotificationServiceExtension: NSObject {
  open func didReceive(
    _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ) {}
  open func serviceExtensionTimeWillExpire() {}
}

extension FileManager {
  /// The folder of the test's.
  public func containerURL(forSecurityApplicationGroupIdentifier group: String) -> URL? {
    ProcessInfo.processInfo.environment["APP_GROUP"].map { URL(fileURLWithPath: $0) }
  }
}

/// What keeps the process from being suspended.
public let activities = DispatchGroup()

extension ProcessInfo {
  public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {
    DispatchQueue.global().async(group: activities) { block(false) }
  }
}
