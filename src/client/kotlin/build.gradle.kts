// Compiled against stand-ins for the classes of Android and Firebase that it uses; not built with Gradle yet (2026-11-27).
plugins {
  id("com.android.library")
  id("org.jetbrains.kotlin.android")
}

android {
  namespace = "dev.bellhop"
  compileSdk = 36
  defaultConfig { minSdk = 26 }
}

dependencies {
  // Installation IDs, and register(), are of this version on.
  api("com.google.firebase:firebase-messaging:25.1.2")
}
