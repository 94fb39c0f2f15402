// What the manual's app uses of SwiftUI, so that it compiles without it.
@_exported import Foundation
import UIKit

@MainActor public protocol View {}

@MainActor public protocol Scene {}

@MainActor public protocol App {
  associatedtype Body: Scene
  var body: Body { get }
  init()
}

extension App {
  public static func main() {
    _ = Self()
  }
}

@propertyWrapper @MainActor public struct UIApplicationDelegateAdaptor<Delegate: UIResponder & UIApplicationDelegate> {
  public init(_ type: Delegate.Type = Delegate.self) {}
  public var wrappedValue: Delegate { fatalError("a stub") }
}

public struct WindowGroup<Content: View>: Scene {
  public init(content: () -> Content) {}
}

public struct Text: View {
  public init(_ text: String) {}
}

public struct Button: View {
  public init(_ title: String, action: @escaping @MainActor () -> Void) {}
}
