// Adds the notification service extension to the Xcode project: a target of its own with its files.
const { copyFileSync, mkdirSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')
const { withXcodeProject } = require('expo/config-plugins')

const TARGET = 'BellhopNotificationService'
const SOURCE = 'NotificationService.swift'
const INFO = 'Info.plist'
const ENTITLEMENTS = `${TARGET}.entitlements`

/** `group`: the app group. `bundle`: the extension's bundle identifier. */
function withExtension(config, { group, bundle }) {
  return withXcodeProject(config, (found) => {
    const folder = join(found.modRequest.platformProjectRoot, TARGET)
    mkdirSync(folder, { recursive: true })
    copyFileSync(join(__dirname, SOURCE), join(folder, SOURCE))
    writeFileSync(join(folder, INFO), infoPlist(group, found))
    writeFileSync(join(folder, ENTITLEMENTS), entitlements(group))
    if (!hasTarget(found.modResults)) addTarget(found.modResults, bundle, found.ios?.appleTeamId)
    return found
  })
}

function hasTarget(project) {
  return Object.values(project.pbxNativeTargetSection()).some(({ name }) => name?.replaceAll('"', '') === TARGET)
}

function addTarget(project, bundle, team) {
  // Without these two sections `xcode` adds no dependency, and says nothing.
  const { objects } = project.hash.project
  objects.PBXTargetDependency ??= {}
  objects.PBXContainerItemProxy ??= {}

  const deploymentTarget = settingOfApp(project, 'IPHONEOS_DEPLOYMENT_TARGET')
  const { uuid, pbxNativeTarget } = project.addTarget(TARGET, 'app_extension', TARGET, bundle)
  const group = project.addPbxGroup([SOURCE, INFO, ENTITLEMENTS], TARGET, TARGET)
  project.addToPbxGroup(group.uuid, project.getFirstProject().firstProject.mainGroup)
  project.addBuildPhase([SOURCE], 'PBXSourcesBuildPhase', 'Sources', uuid)
  project.addBuildPhase([], 'PBXResourcesBuildPhase', 'Resources', uuid)
  project.addBuildPhase([], 'PBXFrameworksBuildPhase', 'Frameworks', uuid)

  for (const { buildSettings } of configurationsOf(project, pbxNativeTarget.buildConfigurationList)) {
    Object.assign(buildSettings, {
      CODE_SIGN_ENTITLEMENTS: `${TARGET}/${ENTITLEMENTS}`,
      CODE_SIGN_STYLE: 'Automatic',
      GENERATE_INFOPLIST_FILE: 'NO',
      INFOPLIST_FILE: `${TARGET}/${INFO}`,
      IPHONEOS_DEPLOYMENT_TARGET: deploymentTarget,
      SWIFT_VERSION: '5.0',
      TARGETED_DEVICE_FAMILY: '"1,2"',
      ...(team !== undefined && { DEVELOPMENT_TEAM: team }),
    })
  }
}

function configurationsOf(project, list) {
  const { buildConfigurations } = project.pbxXCConfigurationList()[list]
  return buildConfigurations.map(({ value }) => project.pbxXCBuildConfigurationSection()[value])
}

function settingOfApp(project, name) {
  const found = Object.values(project.pbxXCBuildConfigurationSection()).find(
    ({ buildSettings }) => buildSettings?.[name],
  )
  return found?.buildSettings[name]
}

/** Apple refuses an extension of another version than its app. */
function infoPlist(group, { version = '1.0.0', ios }) {
  return plist(`	<key>BellhopAppGroup</key>
	<string>${group}</string>
	<key>CFBundleDisplayName</key>
	<string>${TARGET}</string>
	<key>CFBundleExecutable</key>
	<string>$(EXECUTABLE_NAME)</string>
	<key>CFBundleIdentifier</key>
	<string>$(PRODUCT_BUNDLE_IDENTIFIER)</string>
	<key>CFBundleInfoDictionaryVersion</key>
	<string>6.0</string>
	<key>CFBundleName</key>
	<string>$(PRODUCT_NAME)</string>
	<key>CFBundlePackageType</key>
	<string>$(PRODUCT_BUNDLE_PACKAGE_TYPE)</string>
	<key>CFBundleShortVersionString</key>
	<string>${version}</string>
	<key>CFBundleVersion</key>
	<string>${ios?.buildNumber ?? '1'}</string>
	<key>NSExtension</key>
	<dict>
		<key>NSExtensionPointIdentifier</key>
		<string>com.apple.usernotifications.service</string>
		<key>NSExtensionPrincipalClass</key>
		<string>$(PRODUCT_MODULE_NAME).NotificationService</string>
	</dict>`)
}

function entitlements(group) {
  return plist(`	<key>com.apple.security.application-groups</key>
	<array>
		<string>${group}</string>
	</array>`)
}

function plist(content) {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
${content}
</dict>
</plist>
`
}

module.exports = { TARGET, withExtension }
