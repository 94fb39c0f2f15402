import { released } from './library.ts'
import type { Library } from './library.ts'
import manifest from './swift/Package.swift' with { type: 'text' }
import bellhop from './swift/Sources/Bellhop/Bellhop.swift' with { type: 'text' }
import delegate from './swift/Sources/Bellhop/BellhopAppDelegate.swift' with { type: 'text' }
import contract from './swift/Sources/BellhopCore/Contract.swift' with { type: 'text' }
import json from './swift/Sources/BellhopCore/Json.swift' with { type: 'text' }
import keeper from './swift/Sources/BellhopCore/Keeper.swift' with { type: 'text' }
import payload from './swift/Sources/BellhopCore/Payload.swift' with { type: 'text' }
import runner from './swift/Sources/BellhopCore/Runner.swift' with { type: 'text' }
import server from './swift/Sources/BellhopCore/Server.swift' with { type: 'text' }
import state from './swift/Sources/BellhopCore/State.swift' with { type: 'text' }
import store from './swift/Sources/BellhopCore/Store.swift' with { type: 'text' }
import service from './swift/Sources/BellhopExtension/BellhopNotificationService.swift' with { type: 'text' }

export const swiftLibrary: Library = {
  tried:
    'Compiled and run on Linux with stand-ins for UIKit and UserNotifications, against a server; not built with Xcode or run on a phone.',
  files: () => ({
    'Package.swift': manifest,
    'Sources/Bellhop/Bellhop.swift': bellhop,
    'Sources/Bellhop/BellhopAppDelegate.swift': delegate,
    'Sources/BellhopCore/Contract.swift': contract,
    'Sources/BellhopCore/Json.swift': json,
    'Sources/BellhopCore/Keeper.swift': keeper,
    'Sources/BellhopCore/Payload.swift': payload,
    'Sources/BellhopCore/Runner.swift': runner,
    'Sources/BellhopCore/Server.swift': released(server),
    'Sources/BellhopCore/State.swift': state,
    'Sources/BellhopCore/Store.swift': store,
    'Sources/BellhopExtension/BellhopNotificationService.swift': service,
  }),
  use: (
    { server: address, app },
    folder,
  ) => `In Xcode: File, Add Package Dependencies, Add Local, and choose ${folder}. Add
the library Bellhop to your app, and BellhopExtension to its notification service extension.

In your App:

  @UIApplicationDelegateAdaptor private var push: BellhopAppDelegate

  init() {
    Bellhop.start(app: "${app}", server: "${address}")
    Bellhop.onOpen { tap in /* tap.link, tap.data */ }
  }

In the extension:

  class NotificationService: BellhopNotificationService {}
`,
}
