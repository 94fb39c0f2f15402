package dev.bellhop

import java.io.File
import kotlin.system.exitProcess

/** Runs the cases of vectors.json, the only argument, and prints those that fail. */
@Suppress("UNCHECKED_CAST")
fun main(args: Array<String>) {
  val vectors = Json.parse(File(args[0]).readText()) as Fields
  val cases = vectors["cases"] as List<Fields>
  var failed = 0
  for (case in cases) {
    val now = case["now"] as Long? ?: 1_000_000L
    val random = (case["random"] as Number? ?: 0.5).toDouble()
    val before = stateOf(case["before"] as Fields, "1")
    val (found, tell) = (case["event"] as Fields?)?.let { step(before, eventOf(it), now, random) } ?: (before to null)
    // As it is after it was kept, too.
    val state = stateOf(Json.parse(Json.write(found.toJson())) as Fields, "")
    val wanted = stateOf((case["after"] ?: case["before"]) as Fields, "1")
    val due = next(state, now)?.let { mapOf("kind" to it.kind, "path" to it.path, "body" to it.body) }
    val told = tell?.let { mapOf("kind" to it.kind, "status" to it.status.toLong(), "message" to it.message) }
    val result = listOf(state, due, told?.filterValues { it != null })
    val expected = listOf(wanted, case["request"], case["tell"])
    if (result == expected) continue
    failed++
    println("${case["name"]}\n  expected $expected\n  found    $result")
  }
  val withdrawals = vectors["withdrawals"] as List<Fields>
  for (case in withdrawals) {
    val shown = case["shown"] as Fields
    val found = isRemoved(case["bellhop"] as Fields, shown["push"] as String?, shown["tag"] as String?)
    if (found == case["removed"]) continue
    failed++
    println("${case["name"]}: found $found")
  }
  val all = cases.size + withdrawals.size
  println("${all - failed} of $all hold")
  if (failed > 0) exitProcess(1)
}

@Suppress("UNCHECKED_CAST")
internal fun eventOf(event: Fields): Event =
  when (event["kind"]) {
    "token" -> Event.Token(event["token"] as String, event["keys"] as Fields?)
    "set" -> Event.Set(event["device"] as Fields)
    "login" -> Event.Login(event["user"] as String, event["proof"] as String?)
    "logout" -> Event.Logout
    "report" -> Event.Reported(event["id"] as String, event["event"] as String, event["action"] as String?, event["clear"] as Boolean?)
    "leave" -> Event.Leave
    "answered" -> {
      val request = event["request"] as Fields
      val (kind, path) = request["kind"] as String to request["path"] as String
      val retryAfterS = (event["retryAfterS"] as Number?)?.toDouble()
      val status = (event["status"] as Long).toInt()
      val (code, message) = event["code"] as String? to event["message"] as String?
      Event.Answered(Request(kind, path, request["body"] as Fields), status, retryAfterS, code, message)
    }
    "failed" -> Event.Failed
    "resume" -> Event.Resume
    else -> error("an event ${event["kind"]}")
  }
