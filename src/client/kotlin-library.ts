import build from './kotlin/build.gradle.kts' with { type: 'text' }
import manifest from './kotlin/src/main/AndroidManifest.xml' with { type: 'text' }
import bellhop from './kotlin/src/main/kotlin/dev/bellhop/Bellhop.kt' with { type: 'text' }
import service from './kotlin/src/main/kotlin/dev/bellhop/BellhopMessagingService.kt' with { type: 'text' }
import contract from './kotlin/src/main/kotlin/dev/bellhop/Contract.kt' with { type: 'text' }
import json from './kotlin/src/main/kotlin/dev/bellhop/Json.kt' with { type: 'text' }
import keeper from './kotlin/src/main/kotlin/dev/bellhop/Keeper.kt' with { type: 'text' }
import { released } from './library.ts'
import type { Library } from './library.ts'

export const kotlinLibrary: Library = {
  tried:
    'Compiled against stand-ins for Android and Firebase and driven against a server; not built with Gradle or run on a phone.',
  files: () => {
    const source = 'src/main/kotlin/dev/bellhop'
    return {
      'build.gradle.kts': build,
      // Bun's types expect parsed XML.
      'src/main/AndroidManifest.xml': manifest as unknown as string,
      [`${source}/Bellhop.kt`]: bellhop,
      [`${source}/BellhopMessagingService.kt`]: service,
      [`${source}/Contract.kt`]: contract,
      [`${source}/Json.kt`]: json,
      [`${source}/Keeper.kt`]: released(keeper),
    }
  },
  use: ({ server, app }, folder) => `In settings.gradle.kts:

  include(":bellhop")
  project(":bellhop").projectDir = file("${folder}")

In your app's build.gradle.kts, which also needs the plugin com.google.gms.google-services and google-services.json:

  implementation(project(":bellhop"))

In your Application class:

  override fun onCreate() {
    super.onCreate()
    Bellhop.start(this, app = "${app}", server = "${server}")
    Bellhop.onOpen { tap -> /* tap.link, tap.data */ }
  }
`,
}
