// swift-tools-version: 5.10
// Compiled and run on Linux with stand-ins for UIKit and UserNotifications; not built with Xcode or run on a phone yet
// (2026-11-27).
import PackageDescription

let package = Package(
  name: "bellhop-swift",
  // The oldest that Xcode 27 builds for (developer.apple.com/support/xcode).
  platforms: [.iOS(.v15)],
  products: [
    .library(name: "Bellhop", targets: ["Bellhop"]),
    .library(name: "BellhopExtension", targets: ["BellhopExtension"]),
  ],
  targets: [
    .target(name: "BellhopCore"),
    .target(name: "Bellhop", dependencies: ["BellhopCore"]),
    // Without UIApplication, which an extension may not use.
    .target(name: "BellhopExtension", dependencies: ["BellhopCore"]),
  ]
)
