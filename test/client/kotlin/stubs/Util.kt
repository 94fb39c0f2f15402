@file:Suppress("unused")

package android.util

object Log {
  fun w(tag: String, text: String): Int = 0.also { System.err.println("$tag: $text") }
}
