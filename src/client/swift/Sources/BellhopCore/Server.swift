import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// `bellhop client` writes the release in.
private let client = "swift/0.0.0"

/// Where the requests go. Calls wait for the answer: not for the main thread.
package struct Server: Codable, Equatable, Sendable {
  let app: String
  let address: String

  /// `app`: the application ID, `app_…`; `address`: `https://push.example.com`.
  package init(app: String, address: String) {
    if app.hasPrefix("bhs_") {
      fatalError("This is the secret of an application. It belongs to your backend. Here goes the ID, app_…")
    }
    if URL(string: address)?.host == nil { fatalError("The server's address is not a URL: \(address)") }
    self.app = app
    self.address = address.hasSuffix("/") ? String(address.dropLast()) : address
  }

  func call(_ request: Request, timeoutS: TimeInterval = 30) -> Event {
    guard let url = URL(string: "\(address)/\(request.path)") else { return .failed }
    var http = URLRequest(url: url, timeoutInterval: timeoutS)
    http.httpMethod = "PUT"
    http.httpBody = try? JSONEncoder().encode(request.body)
    http.setValue("application/json", forHTTPHeaderField: "Content-Type")
    http.setValue("1", forHTTPHeaderField: "Accept-Version")
    http.setValue(app, forHTTPHeaderField: "X-SERVICE-APPID")
    http.setValue(client, forHTTPHeaderField: "X-BELLHOP-CLIENT")

    let answered = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var event = Event.failed
    let session = URLSession(configuration: .ephemeral)
    let task = session.dataTask(with: http) { data, response, _ in
      if let response = response as? HTTPURLResponse { event = answer(to: request, response, data ?? Data()) }
      answered.signal()
    }
    task.resume()
    answered.wait()
    session.finishTasksAndInvalidate()
    return event
  }
}

private func answer(to request: Request, _ response: HTTPURLResponse, _ data: Data) -> Event {
  let retryAfterS = response.value(forHTTPHeaderField: "Retry-After").flatMap(Double.init).map { max($0, 0) }
  let status = response.statusCode
  // What a proxy says is no JSON.
  let said = status < 400 ? nil : Json(parsing: data)
  let (code, message) = (said?["code"]?.text, said?["message"]?.text)
  return .answered(request, status: status, retryAfterS: retryAfterS, code: code, message: message)
}
