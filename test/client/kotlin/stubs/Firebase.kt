@file:Suppress("unused", "UNUSED_PARAMETER")

package com.google.firebase.messaging

import android.app.Service

class Task<T> {
  fun addOnSuccessListener(listener: (T) -> Unit): Task<T> = this
}

class FirebaseMessaging {
  val token: Task<String> = Task()

  fun register(): Task<Unit> = Task()

  companion object {
    fun getInstance() = FirebaseMessaging()
  }
}

open class FirebaseMessagingService : Service() {
  open fun onNewToken(token: String) {}

  open fun onRegistered(installationId: String) {}

  open fun onMessageReceived(message: RemoteMessage) {}
}

class RemoteMessage {
  val data: Map<String, String> = emptyMap()
  val notification: Notification? = null
  val messageId: String? = null

  class Notification {
    val title: String? = null
    val body: String? = null
    val tag: String? = null
    val channelId: String? = null
  }
}
