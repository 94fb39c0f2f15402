/// For an app with the package push, which needs no Firebase on iPhones.
library;

import 'dart:async';

import 'package:flutter/foundation.dart';
import 'package:push/push.dart' show Push;

import 'bellhop.dart';

export 'bellhop.dart';

/// Tokens and pushes of APNs on iPhones, and of FCM on Android. Neither is shown while the app is open: show them in
/// [Bellhop.onMessage].
class PluginPush implements PushSource {
  final _push = Push.instance;

  @override
  String get platform => defaultTargetPlatform == TargetPlatform.iOS ? '0' : '1';

  @override
  Map<String, Object?> get device => const {};

  @override
  Future<bool> requestPermission() => _push.requestPermission();

  /// The plugin waits for Apple, also where it never answers. `addOnNewToken` hears what comes later.
  @override
  Future<String?> token() => _push.token.timeout(const Duration(seconds: 10));

  @override
  void listen({
    required void Function(String token) onToken,
    required void Function(Message message) onMessage,
    required void Function(Map<String, Object?> data) onTap,
  }) {
    _push.addOnNewToken(onToken);
    _push.addOnMessage((message) {
      final notification = message.notification;
      onMessage(Message(title: notification?.title, text: notification?.body, data: _named(message.data)));
    });
    _push.addOnNotificationTap((data) => onTap(_named(data)));
    unawaited(_push.notificationTapWhichLaunchedAppFromTerminated.then((data) {
      if (data != null) onTap(_named(data));
    }));
  }

  static Map<String, Object?> _named(Map<String?, Object?>? data) => {
        for (final MapEntry(:key, :value) in (data ?? const {}).entries)
          if (key != null) key: value,
      };
}
