// What the library uses of UIKit, so that it compiles without it.
@_exported import Foundation

@MainActor open class UIResponder: NSObject {
  nonisolated public override init() {}
}

@MainActor open class UIApplication: UIResponder {
  public static let shared = UIApplication()
  nonisolated public static let didBecomeActiveNotification = Notification.Name("didBecomeActive")
  public var applicationIconBadgeNumber = 0
  open func registerForRemoteNotifications() {
    // What iOS answers with.
    delegate?.application(self, didRegisterForRemoteNotificationsWithDeviceToken: Data(repeating: 0x0A, count: 32))
  }
  public weak var delegate: (any UIApplicationDelegate)?

  public struct LaunchOptionsKey: Hashable, Sendable {}
}

public enum UIBackgroundFetchResult: UInt, Sendable {
  case newData, noData, failed
}

@MainActor public protocol UIApplicationDelegate: NSObjectProtocol {
  func application(
    _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)
  func application(
    _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error)
  func application(
    _ application: UIApplication,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void)
}
