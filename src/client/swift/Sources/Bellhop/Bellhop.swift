import BellhopCore
import Foundation
import UIKit
import UserNotifications

/// Registers this iPhone with a Bellhop, and reports what its user opens. Call ``start(app:server:appGroup:receipts:clear:)``
/// before the app has launched; everything else may be called at any time. Calls return at once: what cannot be sent now is
/// kept, and sent later.
public enum Bellhop {
  /// A tap on a notification. `action`: the button's identifier. `data`: the push's payload, without `aps`.
  public struct Tap {
    public let push: String?
    public let action: String?
    public let link: String?
    public let data: [String: Any]
  }

  /// How a push that arrives while the app is open is shown; `[]`: not at all. Default: as any other.
  @MainActor public static var presentation: (UNNotification) -> UNNotificationPresentationOptions = { _ in
    [.banner, .list, .badge, .sound]
  }

  /// Hears the payload of each push that arrives while the app runs: silent ones, and others while it is open.
  @MainActor public static var onMessage: (([AnyHashable: Any]) -> Void)?

  @MainActor private static var opened: ((Tap) -> Void)?
  @MainActor private static var waiting: Tap?
  @MainActor private static var receipts = false
  @MainActor private static var clear: Bool?
  private static let runner = Runner(
    tell: { NSLog("Bellhop: %@ %d: %@", $0.kind, $0.status, $0.message ?? "") },
    hold: { ProcessInfo.processInfo.performExpiringActivity(withReason: "Bellhop", using: $0) })

  /// `app`: the application ID, `app_…`; `server`: its address. `appGroup`: shared with the notification service extension;
  /// default: `group.` + the app's bundle ID + `.bellhop`. `receipts`: also report that a push arrived.
  /// `clear`: a tap also removes the notification from the user's other phones.
  @MainActor
  public static func start(
    app: String, server: String, appGroup: String? = nil, receipts: Bool = false, clear: Bool = false
  ) {
    let group = appGroup ?? "group.\(Bundle.main.bundleIdentifier ?? "").bellhop"
    let shared = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)
    if shared == nil && appGroup != nil { NSLog("Bellhop: the app lacks the app group %@", group) }
    runner.start(Server(app: app, address: server), in: Store(group: shared), receipts: receipts)
    self.receipts = receipts
    self.clear = clear ? true : nil
    // What the app shows, of the languages that it has.
    set(["locale": Bundle.main.preferredLocalizations.first ?? "", "timezone": TimeZone.current.identifier])
    let center = UNUserNotificationCenter.current()
    if center.delegate == nil { center.delegate = NotificationDelegate.shared }
    let becameActive = UIApplication.didBecomeActiveNotification
    _ = NotificationCenter.default.addObserver(forName: becameActive, object: nil, queue: .main) { _ in
      runner.take(.resume)
    }
    // In a SwiftUI app there is no UIApplication yet.
    DispatchQueue.main.async { register() }
  }

  /// ``start(app:server:appGroup:receipts:clear:)`` does it, at each launch: the token may be another one. After
  /// ``unregister()`` this registers the device again.
  @MainActor public static func register() {
    UIApplication.shared.registerForRemoteNotifications()
  }

  /// Asks whether notifications may be shown; iOS asks people once. `provisional`: without a question, and quietly into
  /// Notification Center alone. Whether they may.
  @discardableResult
  public static func askPermission(
    _ options: UNAuthorizationOptions = [.alert, .badge, .sound], provisional: Bool = false
  ) async -> Bool {
    do {
      let asked = provisional ? options.union(.provisional) : options
      return try await UNUserNotificationCenter.current().requestAuthorization(options: asked)
    } catch {
      NSLog("Bellhop: no permission: %@", error.localizedDescription)
      return false
    }
  }

  /// `proof`: from your backend; needed if the application verifies users.
  public static func login(_ user: String, proof: String? = nil) {
    runner.take(.login(user: user, proof: proof))
  }

  public static func logout() {
    runner.take(.logout)
  }

  /// All tags of this device; empty: none.
  public static func setTags(_ tags: [String]) {
    set(["tag": tags])
  }

  /// Further fields of `PUT /deviceToken`, such as `active` or `app_version`. What is no JSON is left out.
  public static func set(_ device: [String: any Encodable]) {
    runner.take(.set(device.compactMapValues { Json($0) }))
  }

  /// Unregisters the device, until the next launch or ``register()``.
  public static func unregister() {
    runner.take(.leave)
  }

  /// On the icon, and what Bellhop counts on from with a badge of `+1`.
  @MainActor public static func setBadge(_ count: Int) {
    if #available(iOS 16, *) {
      UNUserNotificationCenter.current().setBadgeCount(count)
    } else {
      UIApplication.shared.applicationIconBadgeNumber = count
    }
    runner.setBadge(count)
  }

  /// Hears each tap once, also the one that started the app.
  @MainActor public static func onOpen(_ listener: @escaping @MainActor (Tap) -> Void) {
    opened = listener
    if let tap = waiting { listener(tap) }
    waiting = nil
  }
}

/// What iOS tells the app. `BellhopAppDelegate` and the notification delegate that `start` sets pass it on; an app that has
/// delegates of its own does it.
extension Bellhop {
  public static func didRegister(deviceToken: Data) {
    runner.take(.token(deviceToken.map { String(format: "%02x", $0) }.joined()))
  }

  public static func didFailToRegister(_ error: any Error) {
    NSLog("Bellhop: no token: %@", error.localizedDescription)
  }

  /// A silent push, or one with `content-available` besides. `done`: is called when what it withdraws is removed.
  @MainActor public static func didReceive(
    remoteNotification payload: [AnyHashable: Any], done: @escaping () -> Void = {}
  ) {
    guard let withdrawal = Withdrawal(payload) else {
      arrived(payload)
      done()
      return
    }
    let center = UNUserNotificationCenter.current()
    center.getDeliveredNotifications { shown in
      let gone = shown.map(\.request).filter {
        withdrawal.removes(push: pushIn($0.content.userInfo), tag: $0.identifier)
      }
      center.removeDeliveredNotifications(withIdentifiers: gone.map(\.identifier))
      done()
    }
  }

  @MainActor public static func willPresent(_ notification: UNNotification) -> UNNotificationPresentationOptions {
    let payload = notification.request.content.userInfo
    // iOS tells the app delegate of the others, too.
    if (payload["aps"] as? [String: Any])?["content-available"] as? Int != 1 { arrived(payload) }
    return presentation(notification)
  }

  @MainActor public static func didReceive(_ response: UNNotificationResponse) {
    let request = response.notification.request
    // A notification of the app's own is no push.
    guard request.trigger is UNPushNotificationTrigger else { return }
    let identifier = response.actionIdentifier
    guard identifier != UNNotificationDismissActionIdentifier else { return }
    let action = identifier == UNNotificationDefaultActionIdentifier ? nil : identifier
    var data: [String: Any] = [:]
    for case (let name as String, let value) in request.content.userInfo { data[name] = value }
    let push = pushIn(data)
    if let push {
      runner.take(.report(id: push, event: action == nil ? "opened" : "action", action: action, clear: clear))
    }
    data["aps"] = nil
    data["bellhop"] = nil
    let tap = Tap(push: push, action: action, link: data["link"] as? String, data: data)
    if let opened { opened(tap) } else { waiting = tap }
  }

  @MainActor private static func arrived(_ payload: [AnyHashable: Any]) {
    let aps = payload["aps"] as? [String: Any]
    // The extension reports the others.
    if receipts, aps?["mutable-content"] as? Int != 1, let push = pushIn(payload) {
      runner.take(.report(id: push, event: "received"))
    }
    onMessage?(payload)
  }
}
