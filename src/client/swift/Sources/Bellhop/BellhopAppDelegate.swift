import UIKit
import UserNotifications

/// For `@UIApplicationDelegateAdaptor(BellhopAppDelegate.self)`, or to subclass.
open class BellhopAppDelegate: UIResponder, UIApplicationDelegate {
  public override init() {
    super.init()
  }

  open func application(
    _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
  ) {
    Bellhop.didRegister(deviceToken: deviceToken)
  }

  open func application(
    _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error
  ) {
    Bellhop.didFailToRegister(error)
  }

  /// Only with the background mode Remote notifications. An app that fetches something overrides it, and calls the handler
  /// when it has.
  open func application(
    _ application: UIApplication,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
  ) {
    Bellhop.didReceive(remoteNotification: userInfo) { completionHandler(.newData) }
  }
}

/// Where the app has no delegate of its own.
final class NotificationDelegate: NSObject, UNUserNotificationCenterDelegate {
  /// The center does not keep its delegate.
  static let shared = NotificationDelegate()

  func userNotificationCenter(
    _ center: UNUserNotificationCenter,
    willPresent notification: UNNotification,
    withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
  ) {
    DispatchQueue.main.async { completionHandler(Bellhop.willPresent(notification)) }
  }

  func userNotificationCenter(
    _ center: UNUserNotificationCenter,
    didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping () -> Void
  ) {
    DispatchQueue.main.async {
      Bellhop.didReceive(response)
      completionHandler()
    }
  }
}
