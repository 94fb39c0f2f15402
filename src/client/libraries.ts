// oxlint-disable import/default -- the texts of the files, not what they export
import { RELEASE } from '../version.ts'
import build from './kotlin/build.gradle.kts' with { type: 'text' }
import manifest from './kotlin/src/main/AndroidManifest.xml' with { type: 'text' }
import bellhop from './kotlin/src/main/kotlin/dev/bellhop/Bellhop.kt' with { type: 'text' }
import service from './kotlin/src/main/kotlin/dev/bellhop/BellhopMessagingService.kt' with { type: 'text' }
import contract from './kotlin/src/main/kotlin/dev/bellhop/Contract.kt' with { type: 'text' }
import json from './kotlin/src/main/kotlin/dev/bellhop/Json.kt' with { type: 'text' }
import keeper from './kotlin/src/main/kotlin/dev/bellhop/Keeper.kt' with { type: 'text' }
import { clientScript, workerScript } from './web-scripts.ts'
import types from './web/index.d.ts.txt' with { type: 'text' }

/** Where an app finds its server. `server`: an origin, without a slash at its end. */
interface Place {
  readonly server: string
  readonly app: string
}

/** A client library: a package of its own kind, and what the app itself has to write. */
interface Library {
  /** How much of it was compiled or run, and when. */
  readonly tried: string
  /** By their paths in the package's folder. */
  readonly files: (place: Place) => Readonly<Record<string, string>>
  /** The lines of the app. `folder`: where the package is. */
  readonly use: (place: Place, folder: string) => string
}

/** By the word of `bellhop client`. */
export const LIBRARIES: Readonly<Record<string, Library>> = {
  web: {
    tried: 'Tried in Chromium.',
    files: ({ server, app }) => ({
      'package.json': `${JSON.stringify(
        {
          name: 'bellhop-web',
          version: RELEASE,
          private: true,
          type: 'module',
          exports: { '.': { types: './index.d.ts', default: './index.js' }, './worker.js': './worker.js' },
        },
        null,
        2,
      )}\n`,
      'index.js': [
        "import { connect as connectTo } from './client.js'",
        '',
        `const place = { home: '${server}/', app: '${app}' }`,
        'export const connect = (options = {}) => connectTo({ ...place, ...options })',
        '',
      ].join('\n'),
      'index.d.ts': types,
      'client.js': clientScript(),
      'worker.js': workerScript(),
    }),
    use: (_, folder) => `Copy ${folder}/worker.js to your site as /sw.js. Then, in your page:

  import { connect } from './${folder}/index.js'

  const bellhop = connect()
  button.addEventListener('click', () => bellhop.register())
  if (Notification.permission === 'granted') bellhop.register()
`,
  },
  kotlin: {
    tried:
      'Compiled against stand-ins for Android and Firebase and driven against a server; not built with Gradle or run on a phone.',
    files: () => {
      const source = 'src/main/kotlin/dev/bellhop'
      return {
        'build.gradle.kts': build,
        // Bun's types know XML that was parsed alone.
        'src/main/AndroidManifest.xml': manifest as unknown as string,
        [`${source}/Bellhop.kt`]: bellhop,
        [`${source}/BellhopMessagingService.kt`]: service,
        [`${source}/Contract.kt`]: contract,
        [`${source}/Json.kt`]: json,
        [`${source}/Keeper.kt`]: keeper,
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
  },
}
