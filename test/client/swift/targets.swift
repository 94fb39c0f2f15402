
// Behind the library's own Package.swift: the stand-ins, the programs of the test, and the app of the manual.
package.targets += [
  .target(name: "UserNotifications", path: "test/stubs/UserNotifications"),
  .target(name: "UIKit", path: "test/stubs/UIKit"),
  .target(name: "SwiftUI", dependencies: ["UIKit"], path: "test/stubs/SwiftUI"),
]
for target in package.targets where ["Bellhop", "BellhopExtension"].contains(target.name) {
  target.dependencies += ["UIKit", "UserNotifications"]
}
package.targets += [
  .executableTarget(
    name: "client", dependencies: ["Bellhop", "BellhopCore", "BellhopExtension"], path: "test/client"),
  .executableTarget(
    name: "manual", dependencies: ["Bellhop", "BellhopExtension", "SwiftUI"], path: "test/manual",
    // As a new project of Xcode may have it.
    swiftSettings: [.unsafeFlags(["-swift-version", "6"])]),
]
