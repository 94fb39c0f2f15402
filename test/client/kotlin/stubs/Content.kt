@file:Suppress("unused", "UNUSED_PARAMETER")

package android.content

import android.content.pm.ApplicationInfo
import android.content.pm.PackageManager
import android.os.Bundle
import java.util.Collections

/** Keeps what it is given, for the length of a test. */
open class Context {
  val applicationContext: Context
    get() = this

  val packageName = "app"
  val packageManager = PackageManager()
  val applicationInfo = ApplicationInfo()

  fun getSharedPreferences(name: String, mode: Int): SharedPreferences = SharedPreferences

  fun <T> getSystemService(kind: Class<T>): T = error("a stub")

  companion object {
    const val MODE_PRIVATE = 0
  }
}

object SharedPreferences {
  private val kept = Collections.synchronizedMap(HashMap<String, String?>())

  fun getString(name: String, fallback: String?): String? = kept[name] ?: fallback

  fun edit() = this

  fun putString(name: String, value: String?): SharedPreferences = apply { kept[name] = value }

  fun commit() = true
}

open class Intent {
  private val kept = HashMap<String, String?>()
  var flags = 0

  val extras: Bundle?
    get() = Bundle(HashMap(kept))

  fun removeExtra(name: String) {
    kept.remove(name)
  }

  fun putExtra(name: String, value: String?): Intent = apply { kept[name] = value }

  fun addFlags(more: Int): Intent = apply { flags = flags or more }

  companion object {
    const val FLAG_ACTIVITY_SINGLE_TOP = 0x20000000
    const val FLAG_ACTIVITY_LAUNCHED_FROM_HISTORY = 0x00100000
  }
}
