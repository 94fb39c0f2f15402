@file:Suppress("unused", "UNUSED_PARAMETER")

package android.content

import android.content.pm.ApplicationInfo
import android.content.pm.PackageManager
import android.os.Bundle

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
  private val kept = HashMap<String, String?>()

  fun getString(name: String, fallback: String?): String? = kept[name] ?: fallback

  fun edit() = this

  fun putString(name: String, value: String?): SharedPreferences = apply { kept[name] = value }

  fun commit() = true
}

open class Intent {
  val extras: Bundle? = null

  fun removeExtra(name: String) {}

  fun putExtra(name: String, value: String?): Intent = this

  fun addFlags(flags: Int): Intent = this

  companion object {
    const val FLAG_ACTIVITY_SINGLE_TOP = 1
  }
}
