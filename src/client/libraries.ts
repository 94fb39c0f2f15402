import { expoLibrary } from './expo-library.ts'
import { flutterLibrary } from './flutter-library.ts'
import { kotlinLibrary } from './kotlin-library.ts'
import type { Library } from './library.ts'
import { swiftLibrary } from './swift-library.ts'
import { webLibrary } from './web-library.ts'

/** By the word of `bellhop client`. */
export const LIBRARIES: Readonly<Record<string, Library>> = {
  web: webLibrary,
  expo: expoLibrary,
  kotlin: kotlinLibrary,
  swift: swiftLibrary,
  flutter: flutterLibrary,
}
