@file:Suppress("unused", "UNUSED_PARAMETER")

package android.os

class Bundle {
  fun getString(name: String): String? = null

  fun putString(name: String, value: String?) {}

  fun getBoolean(name: String, fallback: Boolean) = fallback

  fun keySet(): Set<String> = emptySet()
}

class Looper {
  companion object {
    fun getMainLooper() = Looper()
  }
}

class Handler(looper: Looper) {
  fun post(run: () -> Unit): Boolean = true
}
