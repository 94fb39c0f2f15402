import Foundation

// vectors FILE | drive SERVER APP | app SERVER APP PUSH | extension PAYLOAD
let words = Array(CommandLine.arguments.dropFirst())
switch words[0] {
case "vectors": runVectors(words[1])
case "drive": drive(server: words[1], app: words[2])
case "app": MainActor.assumeIsolated { runApp(server: words[1], app: words[2], push: words[3]) }
case "extension": runExtension(Data(words[1].utf8))
default: fatalError("no \(words[0])")
}
