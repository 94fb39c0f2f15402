package dev.bellhop

import android.app.Activity
import android.app.Application
import android.content.Intent
import android.content.SharedPreferences
import android.os.Bundle
import com.sun.net.httpserver.HttpServer
import java.net.InetSocketAddress
import java.util.concurrent.LinkedBlockingQueue
import kotlin.system.exitProcess

private val sent = LinkedBlockingQueue<String>()

/** An app on a phone: prints what its server is sent, and the taps that it hears. */
fun main() {
  val server = HttpServer.create(InetSocketAddress("127.0.0.1", 0), 0)
  server.createContext("/") { exchange ->
    @Suppress("UNCHECKED_CAST") val body = Json.parse(exchange.requestBody.readBytes().toString(Charsets.UTF_8)) as Fields
    sent.add("${exchange.requestURI} ${Json.write((body - setOf("locale", "timezone")).toSortedMap())}")
    exchange.sendResponseHeaders(200, 2)
    exchange.responseBody.use { it.write("{}".toByteArray()) }
  }
  server.start()
  val launch = { Bellhop.start(Application(), "app_1", "http://127.0.0.1:${server.address.port}") }

  launch()
  Bellhop.tokenIs("t1")
  says()
  val tags = mutableListOf("beta")
  val fields = mapOf("lat" to 52, "lng" to 13.4f, "active" to setOf("1"), "days" to intArrayOf(1, 2), "more" to arrayOf("a"), "tag" to tags)
  Bellhop.set(fields)
  says()
  tags.add("later")
  while ("lat" !in knownBody()) Thread.onSpinWait()

  // The next launch, with the same fields as before: nothing is new until somebody signs in.
  launch()
  Bellhop.set(fields + mapOf("tag" to listOf("beta")))
  Bellhop.login("ann")
  says()

  Bellhop.onOpen { println("tap ${it.push} ${it.link}") }
  val activity = opened(tapOn("p1"), null)
  says()
  opened(tapOn("p1").addFlags(Intent.FLAG_ACTIVITY_LAUNCHED_FROM_HISTORY), null)
  opened(tapOn("p1"), Bundle())
  // As onNewIntent does, if the app calls setIntent there.
  activity.intent = tapOn("p2")
  Application.hears.onActivityResumed(activity)
  says()
  exitProcess(0)
}

private fun tapOn(push: String) = Intent().putExtra("bellhop", """{"push":"$push"}""").putExtra("link", "shop://$push")

private fun opened(intent: Intent, state: Bundle?): Activity {
  val activity = Activity().also { it.intent = intent }
  Application.hears.onActivityCreated(activity, state)
  Application.hears.onActivityResumed(activity)
  return activity
}

@Suppress("UNCHECKED_CAST")
private fun knownBody(): Fields {
  val state = Json.parse(checkNotNull(SharedPreferences.getString("state", null))) as Fields
  return stateOf(state, "1").known?.body ?: emptyMap()
}

/** The next request. */
private fun says() = println(sent.take())
