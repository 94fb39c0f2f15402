package dev.bellhop

import android.content.Context
import java.io.IOException
import java.net.HttpURLConnection
import java.net.URL
import kotlin.math.max
import kotlin.random.Random

private const val ANSWER_MS = 30_000
/** `bellhop client` writes the release in. */
private const val CLIENT = "kotlin/0.0.0"

/** Keeps the state of this device, and makes the calls that are due. For one thread. */
internal class Keeper(
  context: Context,
  private val server: String,
  private val app: String,
  val receipts: Boolean,
  private val now: () -> Long = System::currentTimeMillis,
) {
  private val kept = context.getSharedPreferences("bellhop", Context.MODE_PRIVATE)
  private var state = read()

  /** Takes an event, or none, and makes all calls that are due. What was refused. */
  fun run(event: Event?): List<Tell> {
    val told = ArrayList<Tell>()
    if (event != null) take(event, told)
    while (true) {
      val due = next(state, now()) ?: return told
      take(call(due), told)
    }
  }

  /** How long nothing is sent after an error; `null`: nothing waits. */
  fun waitMs(): Long? = state.wait?.let { max(it.until - now(), 0) + 1 }

  private fun take(event: Event, told: MutableList<Tell>) {
    val (next, tell) = step(state, event, now(), Random.nextDouble())
    state = next
    kept.edit().putString("app", app).putString("state", Json.write(next.toJson())).commit()
    if (tell != null) told.add(tell)
  }

  /** What another application, or an older version, has left is nothing. */
  private fun read(): State {
    val text = kept.getString("state", null)
    if (text == null || kept.getString("app", null) != app) return State("1")
    return try {
      @Suppress("UNCHECKED_CAST")
      stateOf(Json.parse(text) as Fields, "1")
    } catch (_: RuntimeException) {
      State("1")
    }
  }

  private fun call(request: Request): Event {
    return try {
      val connection = URL("$server/${request.path}").openConnection() as HttpURLConnection
      try {
        answerOf(connection, request)
      } finally {
        connection.disconnect()
      }
    } catch (_: IOException) {
      Event.Failed
    }
  }

  private fun answerOf(connection: HttpURLConnection, request: Request): Event {
    connection.requestMethod = "PUT"
    connection.connectTimeout = ANSWER_MS
    connection.readTimeout = ANSWER_MS
    connection.doOutput = true
    connection.setRequestProperty("Content-Type", "application/json")
    connection.setRequestProperty("Accept-Version", "1")
    connection.setRequestProperty("X-SERVICE-APPID", app)
    connection.setRequestProperty("X-BELLHOP-CLIENT", CLIENT)
    connection.outputStream.use { it.write(Json.write(request.body).toByteArray()) }
    val status = connection.responseCode
    val retryAfterS = connection.getHeaderField("Retry-After")?.toDoubleOrNull()?.takeIf { it >= 0 }
    val said = if (status < 400) null else refusalIn(connection)
    return Event.Answered(request, status, retryAfterS, said?.get("code") as? String, said?.get("message") as? String)
  }

  /** What a proxy says is no JSON. */
  private fun refusalIn(connection: HttpURLConnection): Map<*, *>? {
    val text = connection.errorStream?.use { it.readBytes().toString(Charsets.UTF_8) } ?: return null
    return try {
      Json.parse(text) as? Map<*, *>
    } catch (_: IllegalArgumentException) {
      null
    }
  }
}
