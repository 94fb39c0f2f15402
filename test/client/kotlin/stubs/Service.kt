package android.service.notification

import android.app.Notification

class StatusBarNotification {
  val tag: String? = null
  val id = 0
  val notification = Notification()
}
