/// A push that arrives while the app is open. `data`: its payload, as the plugin delivers it.
class Message {
  const Message({required this.title, required this.text, required this.data});

  final String? title;
  final String? text;
  final Map<String, Object?> data;
}

/// Where tokens and pushes come from: `FirebasePush` of firebase.dart, or `PluginPush` of push.dart.
abstract interface class PushSource {
  /// `'0'`: APNs sends to the tokens; `'1'`: FCM does.
  String get platform;

  /// What is registered with the token.
  Map<String, Object?> get device;

  Future<bool> requestPermission();

  /// `null`: there is none yet.
  Future<String?> token();

  /// `onTap` also gets the tap that started the app.
  void listen({
    required void Function(String token) onToken,
    required void Function(Message message) onMessage,
    required void Function(Map<String, Object?> data) onTap,
  });
}
