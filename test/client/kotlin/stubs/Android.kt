// What the library uses of Android, so that it compiles without it. Of it work intents and the life of activities.
@file:Suppress("unused", "UNUSED_PARAMETER")

package android.app

import android.content.Context
import android.content.Intent
import android.os.Bundle
import android.service.notification.StatusBarNotification

open class Activity : Context() {
  var intent: Intent? = null
}

open class Application : Context() {
  fun registerActivityLifecycleCallbacks(callbacks: ActivityLifecycleCallbacks) {
    hears = callbacks
  }

  companion object {
    lateinit var hears: ActivityLifecycleCallbacks
  }

  interface ActivityLifecycleCallbacks {
    fun onActivityCreated(activity: Activity, state: Bundle?)

    fun onActivityStarted(activity: Activity)

    fun onActivityResumed(activity: Activity)

    fun onActivityPaused(activity: Activity)

    fun onActivityStopped(activity: Activity)

    fun onActivitySaveInstanceState(activity: Activity, state: Bundle)

    fun onActivityDestroyed(activity: Activity)
  }
}

open class Service : Context()

class NotificationChannel(id: String, name: CharSequence, importance: Int)

class Notification {
  val extras = Bundle()

  class Builder(context: Context, channel: String) {
    fun setSmallIcon(icon: Int): Builder = this

    fun setContentTitle(title: CharSequence?): Builder = this

    fun setContentText(text: CharSequence?): Builder = this

    fun setContentIntent(intent: PendingIntent?): Builder = this

    fun setAutoCancel(cancels: Boolean): Builder = this

    fun addExtras(extras: Bundle): Builder = this

    fun build(): Notification = Notification()
  }
}

class NotificationManager {
  fun getNotificationChannel(id: String): NotificationChannel? = null

  fun createNotificationChannel(channel: NotificationChannel) {}

  val activeNotifications: Array<StatusBarNotification> = emptyArray()

  fun cancel(tag: String?, id: Int) {}

  fun notify(tag: String?, id: Int, notification: Notification) {}

  companion object {
    const val IMPORTANCE_DEFAULT = 3
  }
}

class PendingIntent {
  companion object {
    const val FLAG_UPDATE_CURRENT = 1
    const val FLAG_IMMUTABLE = 2

    fun getActivity(context: Context, code: Int, intent: Intent, flags: Int): PendingIntent? = null
  }
}
