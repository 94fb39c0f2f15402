import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { directoryOfTests } from '../support/directory-of-tests.ts'
import { removePackages, writePackage } from './expo/launch.ts'

/** `bun run clients` installs it here. */
const MODULES = join(import.meta.dir, '../../.tools/clients/node_modules')
const isThere = existsSync(join(MODULES, 'expo-file-system'))
const withExpo = isThere ? { describe, why: '' } : { describe: describe.skip, why: ' (bun run clients installs them)' }

const GROUP = 'group.com.example.shop.bellhop'
const TARGET = 'BellhopNotificationService'

const APP = `import { registerRootComponent } from 'expo'
import { Button, Linking } from 'react-native'
import { useBellhop } from './bellhop'

function App() {
  const bellhop = useBellhop({ receipts: true, onOpen: ({ link }) => void (link && Linking.openURL(link)) })
  return <Button title="Notify me" onPress={() => void bellhop.register({ ask: true })} />
}

registerRootComponent(App)
`
const BASE = { extends: 'expo/tsconfig.base' }
const CONFIGS = {
  'package.json': { name: 'shop', main: 'App.tsx', dependencies: { expo: '58.0.26', 'react-native': '0.88.1' } },
  'app.json': {
    expo: {
      name: 'Shop',
      slug: 'shop',
      version: '1.2.0',
      ios: { bundleIdentifier: 'com.example.shop' },
      android: { package: 'com.example.shop' },
      // Twice, and with the plugin that removes the default channel.
      plugins: ['expo-notifications', './bellhop/app.plugin.js', './bellhop/app.plugin.js'],
    },
  },
  'tsconfig.json': { ...BASE, compilerOptions: { strict: true, noEmit: true }, files: ['App.tsx'] },
  'tsconfig.library.json': {
    ...BASE,
    compilerOptions: { strict: false, allowJs: true, checkJs: true, noEmit: true },
    files: ['bellhop/client.js'],
  },
}

const root = directoryOfTests('bellhop-expo-app')

withExpo.describe(`the client library for Expo, with Expo’s own tools${withExpo.why}`, () => {
  const at = (...path: readonly string[]) => readFileSync(join(root, ...path), 'utf8')
  /** They need no network. */
  const runs = async (...words: readonly string[]) => {
    const env = { ...process.env, CI: '1', EXPO_OFFLINE: '1', EXPO_NO_TELEMETRY: '1' }
    const child = Bun.spawn([process.execPath, '--bun', ...words], { cwd: root, env, stdout: 'pipe', stderr: 'pipe' })
    const text = await new Response(child.stdout).text()
    const errors = await new Response(child.stderr).text()
    expect({ exitCode: await child.exited, text, errors }).toMatchObject({ exitCode: 0 })
    return text
  }
  const prebuild = (platform: string) =>
    runs('node_modules/expo/bin/cli', 'prebuild', '--platform', platform, '--no-install')

  beforeAll(async () => {
    symlinkSync(MODULES, join(root, 'node_modules'))
    await cp(writePackage({ server: 'https://push.example.com', app: 'app_1' }), join(root, 'bellhop'), {
      recursive: true,
    })
    writeFileSync(join(root, 'App.tsx'), APP)
    for (const [name, config] of Object.entries(CONFIGS)) writeFileSync(join(root, name), JSON.stringify(config))
  })
  afterAll(removePackages)

  test('has the types that an app needs, and calls Expo as its types say', async () => {
    for (const config of ['tsconfig.json', 'tsconfig.library.json'])
      await runs('node_modules/typescript/bin/tsc', '-p', config)
  }, 120_000)

  test('adds the extension to the Xcode project, once', async () => {
    await prebuild('ios')
    await prebuild('ios')
    const project = at('ios/Shop.xcodeproj/project.pbxproj')
    expect(project.match(/isa = PBXNativeTarget/g)).toHaveLength(2)
    expect(project.match(/isa = PBXTargetDependency/g)).toHaveLength(1)
    expect(project).toMatch(new RegExp(`${TARGET}\\.appex in Copy Files`))
    expect(project).toMatch(/NotificationService\.swift"? in Sources/)
    const targets = Array.from(project.matchAll(/IPHONEOS_DEPLOYMENT_TARGET = ([\d.]+);/g), ([, version]) => version)
    expect(targets.length).toBeGreaterThan(2)
    expect(new Set(targets).size).toBe(1)
    for (const setting of [
      `INFOPLIST_FILE = ${TARGET}/Info.plist;`,
      `CODE_SIGN_ENTITLEMENTS = ${TARGET}/${TARGET}.entitlements;`,
      `PRODUCT_BUNDLE_IDENTIFIER = "com.example.shop.${TARGET}";`,
    ])
      expect({ setting, times: project.split(setting).length - 1 }).toEqual({ setting, times: 2 })
    expect(at(`ios/${TARGET}/NotificationService.swift`)).toContain('UNNotificationServiceExtension')
    const info = at(`ios/${TARGET}/Info.plist`)
    for (const text of [GROUP, 'com.apple.usernotifications.service', '<string>1.2.0</string>'])
      expect(info).toContain(text)

    const [app, extension] = [at('ios/Shop/Shop.entitlements'), at(`ios/${TARGET}/${TARGET}.entitlements`)]
    for (const entitlements of [app, extension]) {
      expect(entitlements.split(GROUP)).toHaveLength(2)
      expect(entitlements).toContain('com.apple.security.application-groups')
    }
    expect(app).toMatch(/aps-environment<\/key>\s*<string>development/)
    expect(at('ios/Shop/Info.plist')).toMatch(
      /UIBackgroundModes<\/key>\s*<array>\s*<string>remote-notification<\/string>\s*<\/array>/,
    )
  }, 120_000)

  test('tells EAS of the extension, so that it can be signed', async () => {
    const { extra } = JSON.parse(await runs('node_modules/expo/bin/cli', 'config', '--json'))
    expect(extra.eas.build.experimental.ios.appExtensions).toEqual([
      {
        targetName: TARGET,
        bundleIdentifier: `com.example.shop.${TARGET}`,
        entitlements: { 'com.apple.security.application-groups': [GROUP] },
      },
    ])
  }, 60_000)

  test('asks Android for the permission, and names the channel', async () => {
    await prebuild('android')
    const manifest = at('android/app/src/main/AndroidManifest.xml')
    expect(manifest.split('android.permission.POST_NOTIFICATIONS')).toHaveLength(2)
    expect(manifest).toContain(
      '<meta-data android:name="com.google.firebase.messaging.default_notification_channel_id" android:value="default"/>',
    )
  }, 60_000)
})
