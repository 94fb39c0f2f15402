/** What an iOS app does to register. */
export function swiftFor(url: string, application: string): string {
  return `func application(_ app: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken token: Data) {
  var request = URLRequest(url: URL(string: "${url}/deviceToken")!)
  request.httpMethod = "PUT"
  request.setValue("1", forHTTPHeaderField: "Accept-Version")
  request.setValue("${application}", forHTTPHeaderField: "X-SERVICE-APPID")
  request.setValue("application/json", forHTTPHeaderField: "Content-Type")
  let hex = token.map { String(format: "%02x", $0) }.joined()
  request.httpBody = try? JSONEncoder().encode(["token": hex, "platform": "0"])
  URLSession.shared.dataTask(with: request).resume()
}`
}

/** What an Android app does to register; with OkHttp. */
export function kotlinFor(url: string, application: string): string {
  return `FirebaseMessaging.getInstance().token.addOnSuccessListener { token ->
  val body = JSONObject(mapOf("token" to token, "platform" to "1")).toString()
  val request = Request.Builder().url("${url}/deviceToken")
    .put(body.toRequestBody("application/json".toMediaType()))
    .header("Accept-Version", "1")
    .header("X-SERVICE-APPID", "${application}")
    .build()
  OkHttpClient().newCall(request).enqueue(object : Callback {
    override fun onFailure(call: Call, e: IOException) = Unit
    override fun onResponse(call: Call, response: Response) = response.close()
  })
}`
}
