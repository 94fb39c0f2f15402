@file:Suppress("unused", "UNUSED_PARAMETER")

package android.content.pm

import android.content.Intent
import android.os.Bundle

class ApplicationInfo {
  val metaData: Bundle? = null
  val icon = 0

  fun loadLabel(manager: PackageManager): CharSequence = ""
}

class PackageManager {
  fun getApplicationInfo(name: String, flags: Int) = ApplicationInfo()

  fun getLaunchIntentForPackage(name: String): Intent? = null

  companion object {
    const val GET_META_DATA = 128
  }
}
