import BellhopExtension
import Foundation
import UserNotifications

private class NotificationService: BellhopNotificationService {}

/// Gives the extension a push, and prints what it shows.
func runExtension(_ payload: Data) {
  let userInfo = (try! JSONSerialization.jsonObject(with: payload)) as! [AnyHashable: Any]
  let request = UNNotificationRequest(identifier: "", content: content(userInfo), trigger: UNPushNotificationTrigger())
  let service = NotificationService()
  let shown = DispatchSemaphore(value: 0)
  service.didReceive(request) { content in
    let pictures = content.attachments.map { (try? Data(contentsOf: $0.url).count) ?? -1 }
    print("shown", content.userInfo.count, pictures)
    shown.signal()
  }
  shown.wait()
  // Once is enough.
  service.serviceExtensionTimeWillExpire()
}
