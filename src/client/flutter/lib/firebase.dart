/// For an app with the package firebase_messaging.
library;

import 'dart:async';

import 'package:firebase_messaging/firebase_messaging.dart' show AuthorizationStatus, FirebaseMessaging, RemoteMessage;
import 'package:flutter/foundation.dart';

import 'bellhop.dart';

export 'bellhop.dart';

/// Tokens and pushes of Firebase. Call `Firebase.initializeApp()` before.
class FirebasePush implements PushSource {
  /// `direct`: APNs reaches iPhones, not FCM. Then firebase_messaging hides their taps and messages, unless a push has
  /// `"apns": {"gcm.message_id": "1"}` (flutterfire#4300). A phone that was registered the other way gets each push twice.
  ///
  /// `showInForeground`: whether iPhones show pushes while the app is open. Android phones don't: show them in
  /// [Bellhop.onMessage].
  ///
  /// `installationIds`: `FirebaseMessaging.instance.onRegistered` of an app that has turned them on, and that calls
  /// `register()` itself. There are no tokens then.
  FirebasePush({this.direct = false, this.showInForeground = true, this.installationIds});

  final bool direct;
  final bool showInForeground;
  final Stream<String>? installationIds;
  final _messaging = FirebaseMessaging.instance;

  bool get _isIphone => defaultTargetPlatform == TargetPlatform.iOS;
  bool get _isDirect => _isIphone && direct;

  @override
  String get platform => _isDirect ? '0' : '1';

  @override
  Map<String, Object?> get device => {if (_isIphone && !direct) 'fcm_platform': 'ios'};

  @override
  Future<bool> requestPermission() async {
    final settings = await _messaging.requestPermission();
    return switch (settings.authorizationStatus) {
      AuthorizationStatus.authorized || AuthorizationStatus.provisional => true,
      _ => false,
    };
  }

  @override
  Future<String?> token() async {
    if (_isDirect) return await _tokenOfApple();
    if (installationIds != null) return null;
    // On an iPhone FCM has no token before Apple has given one.
    if (_isIphone && await _tokenOfApple() == null) return null;
    return await _messaging.getToken();
  }

  @override
  void listen({
    required void Function(String token) onToken,
    required void Function(Message message) onMessage,
    required void Function(Map<String, Object?> data) onTap,
  }) {
    // These are FCM's, which APNs does not know.
    if (!_isDirect) (installationIds ?? _messaging.onTokenRefresh).listen(onToken);
    FirebaseMessaging.onMessage.listen((message) {
      final RemoteMessage(:notification, :data) = message;
      onMessage(Message(title: notification?.title, text: notification?.body, data: data));
    });
    FirebaseMessaging.onMessageOpenedApp.listen((message) => onTap(message.data));
    unawaited(_messaging.getInitialMessage().then((message) {
      if (message != null) onTap(message.data);
    }));
    final show = showInForeground;
    unawaited(_messaging.setForegroundNotificationPresentationOptions(alert: show, badge: show, sound: show));
  }

  /// Apple answers a few seconds after the first launch. Without a network it does not: then the app asks again when it is
  /// resumed.
  Future<String?> _tokenOfApple() async {
    for (var tries = 0; tries < 10; tries++) {
      final token = await _messaging.getAPNSToken();
      if (token != null) return token;
      await Future<void>.delayed(const Duration(seconds: 1));
    }
    return null;
  }
}
