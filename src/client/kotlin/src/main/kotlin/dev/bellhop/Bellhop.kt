package dev.bellhop

import android.app.Activity
import android.app.Application
import android.content.Context
import android.content.Intent
import android.content.pm.PackageManager
import android.os.Bundle
import android.os.Handler
import android.os.Looper
import android.util.Log
import com.google.firebase.messaging.FirebaseMessaging
import com.google.firebase.messaging.RemoteMessage
import java.util.Locale
import java.util.TimeZone
import java.util.concurrent.Executors
import java.util.concurrent.ScheduledFuture
import java.util.concurrent.TimeUnit

/** A tap on a notification. `data`: the push's payload, as FCM delivers it. */
class Tap(val push: String?, val action: String?, val link: String?, val data: Map<String, String>)

/**
 * Registers this phone with a Bellhop, and reports what its user opens. Call [start] in `Application.onCreate`; everything
 * else may be called at any time after it. Calls return at once: what cannot be sent now is kept, and sent later.
 */
object Bellhop {
  /** Whether a push that arrives while the app is open is shown. Default: yes. */
  @Volatile var showInForeground: (RemoteMessage) -> Boolean = { true }

  /** Hears each push that arrives while the app runs, on the main thread. */
  @Volatile var onMessage: ((RemoteMessage) -> Unit)? = null

  private val main = Handler(Looper.getMainLooper())
  private val worker = Executors.newSingleThreadScheduledExecutor()
  private var keeper: Keeper? = null
  private var clear: Boolean? = null
  private var again: ScheduledFuture<*>? = null
  private var waiting: Tap? = null
  private var onOpen: ((Tap) -> Unit)? = null

  /**
   * `app`: the application ID, `app_…`; `server`: its address. `receipts`: also report that a push arrived. `clear`: a tap
   * also removes the notification from the user's other phones.
   */
  fun start(context: Context, app: String, server: String, receipts: Boolean = false, clear: Boolean = false) {
    require(!app.startsWith("bhs_")) {
      "This is the secret of an application. It belongs to your backend. Here goes the ID, app_…"
    }
    val application = context.applicationContext as Application
    this.clear = if (clear) true else null
    keeper = Keeper(application, server.trimEnd('/'), app, receipts)
    application.registerActivityLifecycleCallbacks(Taps)
    take(Event.Resume)
    take(Event.Set(mapOf("locale" to Locale.getDefault().toLanguageTag(), "timezone" to TimeZone.getDefault().id)))
    askForToken(application)
  }

  /** `proof`: from your backend; needed if the application verifies users. */
  fun login(user: String, proof: String? = null) = take(Event.Login(user, proof))

  fun logout() = take(Event.Logout)

  /** All tags of this device; empty: none. */
  fun setTags(tags: List<String>) = set(mapOf("tag" to tags))

  /** Further fields of `PUT /deviceToken`, such as `active` or `app_version`. */
  @Suppress("UNCHECKED_CAST")
  fun set(device: Map<String, Any?>) =
    // A copy, since the app may change its own, and as it will be read back.
    take(Event.Set(Json.parse(Json.write(device)) as Fields))

  /** Unregisters the device. [start] or [register] registers it again. */
  fun unregister() = take(Event.Leave)

  fun register(context: Context) = askForToken(context.applicationContext)

  /** Hears each tap once, on the main thread, also the one that started the app. */
  fun onOpen(listener: (Tap) -> Unit) {
    main.post {
      onOpen = listener
      waiting?.let(listener)
      waiting = null
    }
  }

  internal fun tokenIs(token: String) = take(Event.Token(token))

  internal fun received(push: String) {
    if (keeper?.receipts == true) take(Event.Reported(push, "received", null))
  }

  internal fun tell(message: RemoteMessage) {
    main.post { onMessage?.invoke(message) }
  }

  /** What a tapped notification has put into the intent of the activity. It is taken out, so that it counts once. */
  internal fun opened(intent: Intent?) {
    val extras = intent?.extras ?: return
    val bellhop = extras.getString("bellhop") ?: return
    intent.removeExtra("bellhop")
    val push = bellhopIn(bellhop)["push"] as? String
    if (push != null) take(Event.Reported(push, "opened", null, clear))
    val data = extras.keySet().filter { it != "bellhop" && !it.startsWith("google.") && !it.startsWith("gcm.") }
    val texts = data.mapNotNull { name -> extras.getString(name)?.let { name to it } }.toMap()
    val tap = Tap(push, null, texts["link"], texts)
    main.post { onOpen?.invoke(tap) ?: run { waiting = tap } }
  }

  /** What Bellhop says in a push. */
  internal fun bellhopIn(text: String?): Map<*, *> {
    if (text == null) return emptyMap<String, Any?>()
    return try {
      Json.parse(text) as? Map<*, *> ?: emptyMap<String, Any?>()
    } catch (_: IllegalArgumentException) {
      emptyMap<String, Any?>()
    }
  }

  private fun take(event: Event) {
    worker.execute { run(event) }
  }

  private fun run(event: Event?) {
    val keeper = keeper ?: return
    again?.cancel(false)
    for ((kind, status, message) in keeper.run(event)) Log.w("Bellhop", "$kind $status: ${message ?: ""}")
    val waitMs = keeper.waitMs() ?: return
    again = worker.schedule({ run(null) }, waitMs, TimeUnit.MILLISECONDS)
  }

  /**
   * An app gets either registration tokens or installation IDs (Firebase 25.1.2). One that asks for a token after its
   * installation ID is registered loses the ID, so only the manifest says which (firebase-js-sdk#10212).
   */
  private fun askForToken(context: Context) {
    val name = "firebase_messaging_installation_id_enabled"
    val manager = context.packageManager
    val info = manager.getApplicationInfo(context.packageName, PackageManager.GET_META_DATA)
    val messaging = FirebaseMessaging.getInstance()
    if (info.metaData?.getBoolean(name, false) == true) messaging.register()
    else messaging.token.addOnSuccessListener { token -> tokenIs(token) }
  }

  private object Taps : Application.ActivityLifecycleCallbacks {
    /** An activity that is made again, or opened from the recent apps, gets an old intent whole. */
    override fun onActivityCreated(activity: Activity, state: Bundle?) {
      val intent = activity.intent ?: return
      val isOld = state != null || intent.flags and Intent.FLAG_ACTIVITY_LAUNCHED_FROM_HISTORY != 0
      if (isOld) intent.removeExtra("bellhop") else opened(intent)
    }

    // After onNewIntent, if the activity has called setIntent there.
    override fun onActivityResumed(activity: Activity) = opened(activity.intent)

    override fun onActivityStarted(activity: Activity) {}

    override fun onActivityPaused(activity: Activity) {}

    override fun onActivityStopped(activity: Activity) {}

    override fun onActivitySaveInstanceState(activity: Activity, state: Bundle) {}

    override fun onActivityDestroyed(activity: Activity) {}
  }
}
