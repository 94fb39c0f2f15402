/// What the library uses of firebase_messaging 16; a test sets what it gives.
library;

import 'dart:async';

class RemoteNotification {
  const RemoteNotification({this.title, this.body});

  final String? title;
  final String? body;
}

class RemoteMessage {
  const RemoteMessage({this.notification, this.data = const <String, dynamic>{}});

  final RemoteNotification? notification;
  final Map<String, dynamic> data;
}

enum AuthorizationStatus { authorized, denied, notDetermined, provisional }

class NotificationSettings {
  const NotificationSettings({required this.authorizationStatus});

  final AuthorizationStatus authorizationStatus;
}

class FirebaseMessaging {
  static final instance = FirebaseMessaging();

  static final messages = StreamController<RemoteMessage>.broadcast();
  static final taps = StreamController<RemoteMessage>.broadcast();
  final tokens = StreamController<String>.broadcast();
  RemoteMessage? initial;

  /// What Apple answers, one question after the other; the last one stays.
  List<String?> ofApple = [null];
  String? token;

  static Stream<RemoteMessage> get onMessage => messages.stream;

  static Stream<RemoteMessage> get onMessageOpenedApp => taps.stream;

  Stream<String> get onTokenRefresh => tokens.stream;

  Future<RemoteMessage?> getInitialMessage() async => initial;

  Future<String?> getAPNSToken() async => ofApple.length > 1 ? ofApple.removeAt(0) : ofApple.single;

  Future<String?> getToken({String? vapidKey}) async => token;

  Future<NotificationSettings> requestPermission({bool alert = true, bool badge = true, bool sound = true}) async =>
      const NotificationSettings(authorizationStatus: AuthorizationStatus.provisional);

  Future<void> setForegroundNotificationPresentationOptions({
    bool alert = false,
    bool badge = false,
    bool sound = false,
  }) async =>
      print('shows in the foreground: $alert');
}
