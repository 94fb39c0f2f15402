@file:Suppress("unused", "UNUSED_PARAMETER")

package android.os

class Bundle(private val kept: MutableMap<String, String?> = HashMap()) {
  fun getString(name: String): String? = kept[name]

  fun putString(name: String, value: String?) {
    kept[name] = value
  }

  fun getBoolean(name: String, fallback: Boolean) = fallback

  fun keySet(): Set<String> = kept.keys
}

class Looper {
  companion object {
    fun getMainLooper() = Looper()
  }
}

class Handler(looper: Looper) {
  fun post(run: () -> Unit): Boolean = true.also { run() }
}
