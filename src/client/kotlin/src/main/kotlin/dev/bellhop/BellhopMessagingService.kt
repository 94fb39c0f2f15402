package dev.bellhop

import android.app.Notification
import android.app.NotificationChannel
import android.app.NotificationManager
import android.app.PendingIntent
import android.content.Intent
import android.os.Bundle
import com.google.firebase.messaging.FirebaseMessagingService
import com.google.firebase.messaging.RemoteMessage

/** Hears tokens and pushes from FCM. Declared in this library's manifest; an app that has its own extends this one. */
open class BellhopMessagingService : FirebaseMessagingService() {
  override fun onNewToken(token: String) = Bellhop.tokenIs(token)

  /** In place of [onNewToken], if the app uses installation IDs. */
  override fun onRegistered(installationId: String) = Bellhop.tokenIs(installationId)

  /** Silent pushes, and all others while the app is open: then Android shows nothing by itself. */
  override fun onMessageReceived(message: RemoteMessage) {
    val bellhop = Bellhop.bellhopIn(message.data["bellhop"])
    if ("withdrawn" in bellhop) return remove(bellhop)
    (bellhop["push"] as? String)?.let { Bellhop.received(it) }
    Bellhop.tell(message)
    val shown = message.notification
    if (shown != null && Bellhop.showInForeground(message)) show(message, shown)
  }

  /** Android does not say which push has shown a notification, but for those of this library. */
  private fun remove(bellhop: Map<*, *>) {
    val manager = getSystemService(NotificationManager::class.java)
    for (shown in manager.activeNotifications) {
      val push = shown.notification.extras.getString(PUSH)
      if (isRemoved(bellhop, push, shown.tag)) manager.cancel(shown.tag, shown.id)
    }
  }

  private fun show(message: RemoteMessage, shown: RemoteMessage.Notification) {
    val manager = getSystemService(NotificationManager::class.java)
    val channel = shown.channelId ?: DEFAULT_CHANNEL
    if (manager.getNotificationChannel(channel) == null) {
      val name = applicationInfo.loadLabel(packageManager)
      manager.createNotificationChannel(NotificationChannel(channel, name, NotificationManager.IMPORTANCE_DEFAULT))
    }
    val intent = packageManager.getLaunchIntentForPackage(packageName) ?: Intent()
    for ((name, text) in message.data) intent.putExtra(name, text)
    intent.addFlags(Intent.FLAG_ACTIVITY_SINGLE_TOP)
    val id = message.messageId.hashCode()
    val tap = PendingIntent.getActivity(this, id, intent, PendingIntent.FLAG_UPDATE_CURRENT or PendingIntent.FLAG_IMMUTABLE)
    val notification =
      Notification.Builder(this, channel)
        .setSmallIcon(applicationInfo.icon)
        .setContentTitle(shown.title)
        .setContentText(shown.body)
        .setContentIntent(tap)
        .setAutoCancel(true)
        .addExtras(Bundle().apply { putString(PUSH, Bellhop.bellhopIn(message.data["bellhop"])["push"] as? String) })
        .build()
    // The same tag replaces the notification before it, as it does in the background.
    manager.notify(shown.tag, if (shown.tag == null) id else 0, notification)
  }
}

private const val DEFAULT_CHANNEL = "default"
private const val PUSH = "dev.bellhop.push"
