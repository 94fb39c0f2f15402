import Bellhop
import UIKit
import UserNotifications

/// An app that is started by a tap, registers, and is then open. Prints what it hears.
@MainActor func runApp(server: String, app: String, push: String) {
  let delegate = BellhopAppDelegate()
  UIApplication.shared.delegate = delegate
  Bellhop.start(app: app, server: server, receipts: true)
  let payload: [AnyHashable: Any] = [
    "aps": ["alert": "Cake"], "bellhop": ["push": push], "link": "shop://cake", "order": 7,
  ]
  let center = UNUserNotificationCenter.current()
  func tap(_ action: String, isPush: Bool = true) {
    let response = UNNotificationResponse(notification: notification(payload, isPush: isPush), actionIdentifier: action)
    wait { done in center.delegate?.userNotificationCenter(center, didReceive: response) { done() } }
  }

  tap(UNNotificationDefaultActionIdentifier)
  let hear: @MainActor (Bellhop.Tap) -> Void = { tap in
    print("tap", tap.push == push, tap.action ?? "-", tap.link ?? "-", tap.data.keys.sorted(), tap.data["order"] ?? "-")
  }
  Bellhop.onOpen(hear)
  Bellhop.onOpen(hear)
  tap("buy")
  tap(UNNotificationDismissActionIdentifier)
  tap(UNNotificationDefaultActionIdentifier, isPush: false)

  Bellhop.onMessage = { print("message", ($0["aps"] as? [String: Any])?.keys.sorted() ?? []) }
  func present(_ payload: [AnyHashable: Any]) {
    wait { done in
      center.delegate?.userNotificationCenter(center, willPresent: notification(payload, isPush: true)) {
        print("shown", $0.rawValue)
        done()
      }
    }
  }
  present(payload)
  Bellhop.presentation = { _ in [] }
  present(payload)
  let both: [AnyHashable: Any] = ["aps": ["alert": "Cake", "content-available": 1]]
  present(both)
  delegate.application(.shared, didReceiveRemoteNotification: both) { print("fetched", $0) }

  center.delivered = ["p1", "p2", "news"].map {
    notification($0 == "news" ? [:] : ["bellhop": ["push": $0]], isPush: true, identifier: $0)
  }
  func withdraw(_ push: String, tag: String) {
    let silent: [AnyHashable: Any] = ["aps": ["content-available": 1], "bellhop": ["withdrawn": push, "tag": tag]]
    delegate.application(.shared, didReceiveRemoteNotification: silent) {
      print("left", $0, center.delivered.map(\.request.identifier))
    }
  }
  withdraw("p1", tag: "p2")
  withdraw("p9", tag: "news")

  Bellhop.login("ann")
  Bellhop.setTags(["beta"])
  Bellhop.set(["lat": 52.5, "lng": 13, "app_version": "1.0"])
  Bellhop.setBadge(3)
  // Behind the badge in the queue.
  Bellhop.set(["app_version": "1.1"])
  activities.wait()
}

private func notification(_ payload: [AnyHashable: Any], isPush: Bool, identifier: String = "") -> UNNotification {
  let trigger = isPush ? UNPushNotificationTrigger() : nil
  let request = UNNotificationRequest(identifier: identifier, content: content(payload), trigger: trigger)
  return UNNotification(request: request)
}

func content(_ payload: [AnyHashable: Any]) -> UNNotificationContent {
  let content = UNMutableNotificationContent()
  content.userInfo = payload
  return content
}

/// Lets the main queue run until it is done.
private func wait(_ work: (@escaping () -> Void) -> Void) {
  nonisolated(unsafe) var isDone = false
  work { isDone = true }
  while !isDone { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01)) }
}
