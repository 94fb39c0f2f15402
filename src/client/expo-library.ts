import { RELEASE } from '../version.ts'
import plugin from './expo/app.plugin.js' with { type: 'text' }
import client from './expo/client.js' with { type: 'text' }
import types from './expo/index.d.ts.txt' with { type: 'text' }
import keeper from './expo/keeper.js' with { type: 'text' }
import payload from './expo/payload.js' with { type: 'text' }
import extension from './expo/plugin/extension.js' with { type: 'text' }
import swift from './expo/plugin/NotificationService.swift' with { type: 'text' }
import { released } from './library.ts'
import type { Library } from './library.ts'
import core from './web/core.js' with { type: 'text' }
import withdrawal from './web/withdrawal.js' with { type: 'text' }

/** No `"type": "module"`: Expo's tools load the plugin with `require`, and Metro compiles the rest. */
const MANIFEST = {
  name: 'bellhop-expo',
  version: RELEASE,
  private: true,
  main: './index.js',
  types: './index.d.ts',
  peerDependencies: { expo: '*', 'expo-file-system': '*', 'expo-notifications': '*', react: '*', 'react-native': '*' },
}

export const expoLibrary: Library = {
  tried:
    'Driven against a server with stand-ins for the modules of Expo; the plugin was run by `expo prebuild`, 2026-11-27. Not built by Xcode or Gradle, or run on a phone.',
  files: ({ server, app }) => ({
    'package.json': `${JSON.stringify(MANIFEST, null, 2)}\n`,
    'index.js': [
      "import { connect as connectTo, useBellhop as useOf } from './client.js'",
      "export { onBackgroundPush } from './client.js'",
      '',
      `const place = { home: '${server}', app: '${app}' }`,
      'export const connect = (options = {}) => connectTo({ ...place, ...options })',
      'export const useBellhop = (options = {}) => useOf({ ...place, ...options })',
      '',
    ].join('\n'),
    'index.d.ts': types,
    'client.js': client,
    'core.js': core,
    'keeper.js': released(keeper),
    'payload.js': payload,
    'withdrawal.js': withdrawal,
    'app.plugin.js': plugin,
    'plugin/extension.js': extension,
    'plugin/NotificationService.swift': released(swift),
  }),
  use: (_, folder) => `Add the modules of Expo that it needs:

  npx expo install expo-notifications expo-file-system

In app.json, "plugins": ["./${folder}/app.plugin.js"]. Then, in your root component:

  import { useBellhop } from './${folder}'

  const bellhop = useBellhop({ onOpen: ({ link }) => link && Linking.openURL(link) })
  <Button title="Notify me" onPress={() => bellhop.register({ ask: true })} />
`,
}
