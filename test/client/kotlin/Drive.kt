package dev.bellhop

import android.content.Context
import android.content.SharedPreferences

/** Takes an event a line, `null` for none, and answers each with the state and what was refused: see drive.ts. */
fun main(args: Array<String>) {
  val (server, app) = args
  var laterMs = 0L
  val keeper = Keeper(Context(), server, app, false) { System.currentTimeMillis() + laterMs }
  while (true) {
    val line = readlnOrNull() ?: return
    @Suppress("UNCHECKED_CAST") val event = Json.parse(line) as Fields?
    if (event?.get("kind") == "later") laterMs += event["ms"] as Long
    val told = keeper.run(event?.takeIf { it["kind"] != "later" }?.let { eventOf(it) }).map { mapOf("kind" to it.kind, "status" to it.status) }
    val state = Json.parse(checkNotNull(SharedPreferences.getString("state", null)))
    println(Json.write(mapOf("state" to state, "told" to told)))
  }
}
