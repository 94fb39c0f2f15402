package dev.bellhop

import kotlin.math.abs
import kotlin.math.max
import kotlin.math.min
import kotlin.math.roundToLong

/*
 * The contract of Bellhop's client libraries as pure functions: contract.md beside this library in Bellhop's source.
 * Times are ms since 1970.
 */

private const val SECOND_MS = 1000L
private const val DAY_MS = 86_400 * SECOND_MS
private const val LONGEST_WAIT_MS = 900 * SECOND_MS
private const val MOST_REPORTS = 200

internal typealias Fields = Map<String, Any?>

internal data class Known(val token: String, val body: Fields, val at: Long)

internal data class Wait(val attempt: Int, val until: Long, val asked: Boolean = false)

internal data class Refused(val body: Fields, val at: Long, val status: Int, val message: String?)

internal data class Report(
  val id: String,
  val event: String,
  val action: String?,
  val at: Long,
  val clear: Boolean? = null,
) {
  fun fields(): Fields =
    mapOf("id" to id, "event" to event, "action" to action, "clear" to clear).filterValues { it != null }
}

internal data class Request(val kind: String, val path: String, val body: Fields)

/** What was refused, for the app's developer. */
internal data class Tell(val kind: String, val status: Int, val message: String?)

internal sealed interface Event {
  /** `keys`: of a browser. */
  data class Token(val token: String, val keys: Fields? = null) : Event

  data class Set(val device: Fields) : Event

  data class Login(val user: String, val proof: String?) : Event

  data object Logout : Event

  data class Reported(val id: String, val event: String, val action: String?, val clear: Boolean? = null) : Event

  data object Leave : Event

  data class Answered(
    val request: Request,
    val status: Int,
    val retryAfterS: Double?,
    val code: String?,
    val message: String?,
  ) : Event

  data object Failed : Event

  data object Resume : Event
}

internal data class State(
  val platform: String,
  val token: String? = null,
  val device: Fields = emptyMap(),
  val known: Known? = null,
  val signOut: Boolean = false,
  val leaving: Boolean = false,
  val refused: Refused? = null,
  val wait: Wait? = null,
  val reports: List<Report> = emptyList(),
)

/** What a state becomes, and what was refused. `random`: in [0, 1). */
internal fun step(state: State, event: Event, now: Long, random: Double): Pair<State, Tell?> {
  val kept = state.copy(reports = state.reports.filter { now - it.at < DAY_MS })
  return when (event) {
    is Event.Token -> {
      val keys = event.keys?.let { mapOf("keys" to it) } ?: emptyMap()
      kept.copy(token = event.token, leaving = false, device = kept.device + keys) to null
    }
    is Event.Set -> {
      val isLogin = "user" in event.device
      val device = if (isLogin) kept.device - "user_proof" else kept.device
      val changes = isLogin && knowsOther(kept.known, event.device["user"])
      kept.copy(device = device + event.device, signOut = kept.signOut || changes) to null
    }
    is Event.Login -> {
      val proof = event.proof?.let { mapOf("user_proof" to it) } ?: emptyMap()
      val device = kept.device - USER + mapOf("user" to event.user) + proof
      kept.copy(device = device, signOut = kept.signOut || knowsOther(kept.known, event.user)) to null
    }
    Event.Logout -> {
      val signOut = kept.signOut || knowsOther(kept.known, null)
      kept.copy(device = kept.device - USER, signOut = signOut) to null
    }
    is Event.Reported -> {
      val reports = kept.reports + Report(event.id, event.event, event.action, now, event.clear)
      kept.copy(reports = reports.takeLast(MOST_REPORTS)) to null
    }
    Event.Leave -> {
      // Whoever comes back before the server heard of it is not the user of before.
      val signOut = kept.signOut || knowsOther(kept.known, null)
      kept.copy(leaving = true, signOut = signOut, device = kept.device - USER) to null
    }
    is Event.Answered -> answered(kept, event, now, random)
    Event.Failed -> kept.copy(wait = waitAfter(kept.wait, now, random, null)) to null
    Event.Resume -> kept.copy(wait = kept.wait?.takeIf { it.asked }) to null
  }
}

/** The request that is due; `null`: none. */
internal fun next(state: State, now: Long): Request? {
  val (platform, token, device, known) = state
  if (state.wait != null && isOpen(state.wait, now)) return null
  if (state.leaving) {
    return known?.let { Request("leave", "deviceToken/del", mapOf("token" to it.token, "platform" to platform)) }
  }
  if (state.signOut && known != null) {
    val body = mapOf("token" to known.token, "platform" to platform, "user" to "")
    return Request("sign-out", "deviceToken", known.body.filterKeys { it == "keys" } + body)
  }
  if (token != null) {
    val body = device + mapOf("token" to token, "platform" to platform)
    val isKnown = known != null && known.body == body && abs(now - known.at) < DAY_MS
    val isRefused = state.refused != null && state.refused.body == body && abs(now - state.refused.at) < DAY_MS
    val replaces = known?.token?.takeIf { it != token }?.let { mapOf("replaces" to it) } ?: emptyMap()
    if (!isKnown && !isRefused) return Request("register", "deviceToken", body + replaces)
  }
  val report = state.reports.firstOrNull()
  if (report == null || known == null) return null
  return Request("report", "stats", mapOf("platform" to platform, "token" to known.token) + report.fields())
}

/** Whether a push removes a notification: its `bellhop`, and what is shown. `push`: `null` where it is not known. */
internal fun isRemoved(bellhop: Map<*, *>, push: String?, tag: String?): Boolean {
  val withdrawn = bellhop["withdrawn"] ?: return false
  return if (push == null) tag == bellhop["tag"] else push == withdrawn
}

private val USER = setOf("user", "user_proof")

private fun answered(state: State, event: Event.Answered, now: Long, random: Double): Pair<State, Tell?> {
  val (request, status, retryAfterS, code, message) = event
  val isTaken = status in 200..299
  val isRefused = status in 400..499 && status != 408 && status != 429 && code != null
  if (!isTaken && !isRefused) {
    return state.copy(wait = waitAfter(state.wait, now, random, retryAfterS)) to null
  }
  val tell = if (isTaken) null else Tell(request.kind, status, message)
  return settled(state.copy(wait = null), request, tell, now) to tell
}

/** What has changed with the last word on a request. */
private fun settled(state: State, request: Request, tell: Tell?, now: Long): State {
  val (device, known) = state.device to state.known
  return when (request.kind) {
    "report" -> {
      val names = listOf("id", "event", "action")
      state.copy(reports = state.reports.filterNot { one -> names.all { one.fields()[it] == request.body[it] } })
    }
    "leave" -> state.copy(known = null, refused = null, signOut = false)
    "sign-out" -> state.copy(signOut = false, known = known?.let { it.copy(body = it.body - USER) })
    else -> {
      val said = request.body - "replaces"
      // The token that the library before this one had is said once.
      val isOver = tell != null || request.body["replaces"] == device["replaces"]
      val rest = state.copy(device = if (isOver) device - "replaces" else device)
      if (tell != null) return rest.copy(refused = Refused(said, now, tell.status, tell.message))
      val accepted = Known(said["token"] as String, said, now)
      // Somebody may have signed out, or in, while it was on its way.
      rest.copy(known = accepted, refused = null, signOut = knowsOther(accepted, device["user"]))
    }
  }
}

/** Whether the server knows a user, and another one than `user`. */
private fun knowsOther(known: Known?, user: Any?): Boolean {
  val before = known?.body?.get("user") ?: ""
  return before != "" && before != user
}

private fun isOpen(wait: Wait, now: Long): Boolean =
  now < wait.until && wait.until - now <= (if (wait.asked) DAY_MS else LONGEST_WAIT_MS)

private fun waitAfter(wait: Wait?, now: Long, random: Double, retryAfterS: Double?): Wait {
  val attempt = (wait?.attempt ?: 0) + 1
  val longest = min(SECOND_MS shl min(attempt - 1, 20), LONGEST_WAIT_MS)
  val own = longest * (1 + random) / 2
  val asked = min((retryAfterS ?: 0.0) * SECOND_MS, DAY_MS.toDouble())
  return Wait(attempt, now + max(own, asked).roundToLong(), asked = asked > own)
}

/** As it is kept, and as the vectors have it. */
internal fun State.toJson(): Fields =
  mapOf(
    "platform" to platform,
    "token" to token,
    "device" to device,
    "known" to known?.let { mapOf("token" to it.token, "body" to it.body, "at" to it.at) },
    "signOut" to signOut,
    "leaving" to leaving,
    "refused" to
      refused?.let {
        mapOf("body" to it.body, "at" to it.at, "status" to it.status.toLong()) +
          listOfNotNull(it.message?.let { text -> "message" to text })
      },
    "wait" to
      wait?.let {
        mapOf("attempt" to it.attempt.toLong(), "until" to it.until) + (if (it.asked) mapOf("asked" to true) else emptyMap())
      },
    "reports" to reports.map { it.fields() + mapOf("at" to it.at) },
  )

/** Fields that are missing are as at first. */
@Suppress("UNCHECKED_CAST")
internal fun stateOf(json: Fields, platform: String): State =
  State(
    platform = json["platform"] as String? ?: platform,
    token = json["token"] as String?,
    device = json["device"] as Fields? ?: emptyMap(),
    known = (json["known"] as Fields?)?.let { Known(it["token"] as String, it["body"] as Fields, it["at"] as Long) },
    signOut = json["signOut"] as Boolean? ?: false,
    leaving = json["leaving"] as Boolean? ?: false,
    refused = (json["refused"] as Fields?)?.let { refusedOf(it) },
    wait =
      (json["wait"] as Fields?)?.let {
        Wait((it["attempt"] as Long).toInt(), it["until"] as Long, it["asked"] as Boolean? ?: false)
      },
    reports = (json["reports"] as List<Fields>? ?: emptyList()).map {
      Report(it["id"] as String, it["event"] as String, it["action"] as String?, it["at"] as Long, it["clear"] as Boolean?)
    },
  )

/** `null`: an older version has kept the body alone. */
@Suppress("UNCHECKED_CAST")
private fun refusedOf(json: Fields): Refused? {
  val at = json["at"] as? Long ?: return null
  return Refused(json["body"] as Fields, at, (json["status"] as Long).toInt(), json["message"] as String?)
}
