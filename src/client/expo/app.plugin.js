// The config plugin, for `npx expo prebuild` and EAS: "plugins": ["./bellhop/app.plugin.js"]
const {
  AndroidConfig,
  createRunOncePlugin,
  withEntitlementsPlist,
  withFinalizedMod,
  withInfoPlist,
} = require('expo/config-plugins')
const { TARGET, withExtension } = require('./plugin/extension.js')

const GROUPS = 'com.apple.security.application-groups'
const CHANNEL = 'com.google.firebase.messaging.default_notification_channel_id'

function withBellhop(config) {
  const bundle = config.ios?.bundleIdentifier
  const android = withDefaultChannel(
    AndroidConfig.Permissions.withPermissions(config, ['android.permission.POST_NOTIFICATIONS']),
  )
  if (bundle === undefined) return android
  return withApple(android, { group: `group.${bundle}.bellhop`, bundle: `${bundle}.${TARGET}` })
}

function withApple(config, { group, bundle }) {
  const withGroup = withEntitlementsPlist(config, (found) => {
    const { modResults: entitlements } = found
    // expo-notifications writes it, too, and what it has written stays.
    entitlements['aps-environment'] ??= 'development'
    entitlements[GROUPS] = including(entitlements[GROUPS], group)
    return found
  })
  const withMode = withInfoPlist(withGroup, (found) => {
    found.modResults.UIBackgroundModes = including(found.modResults.UIBackgroundModes, 'remote-notification')
    return found
  })
  return withExtension(forEas(withMode, { group, bundle }), { group, bundle })
}

/** EAS reads this before prebuild makes the Xcode project; an extension that is missing here is not signed. */
function forEas(config, { group, bundle }) {
  const { eas } = config.extra ?? {}
  const { ios } = eas?.build?.experimental ?? {}
  const others = (ios?.appExtensions ?? []).filter(({ targetName }) => targetName !== TARGET)
  const extension = { targetName: TARGET, bundleIdentifier: bundle, entitlements: { [GROUPS]: [group] } }
  const experimental = { ...eas?.build?.experimental, ios: { ...ios, appExtensions: [...others, extension] } }
  return { ...config, extra: { ...config.extra, eas: { ...eas, build: { ...eas?.build, experimental } } } }
}

/**
 * What the system shows while the app is closed goes to the channel that the library creates. At the end: expo-notifications
 * removes the line if its own `defaultChannel` is not set.
 */
function withDefaultChannel(config) {
  return withFinalizedMod(config, [
    'android',
    async (found) => {
      const { Paths, Manifest } = AndroidConfig
      const path = await Paths.getAndroidManifestAsync(found.modRequest.projectRoot)
      const manifest = await Manifest.readAndroidManifestAsync(path)
      const application = Manifest.getMainApplicationOrThrow(manifest)
      if (Manifest.findMetaDataItem(application, CHANNEL) === -1) {
        Manifest.addMetaDataItemToMainApplication(application, CHANNEL, 'default')
        await Manifest.writeAndroidManifestAsync(path, manifest)
      }
      return found
    },
  ])
}

function including(list = [], value) {
  return list.includes(value) ? list : [...list, value]
}

module.exports = createRunOncePlugin(withBellhop, 'bellhop-expo')
