/// What the library uses of push 3; a test sets what it gives.
library;

import 'dart:async';

class Notification {
  Notification({this.title, this.body});

  String? title;
  String? body;
}

class RemoteMessage {
  RemoteMessage({this.notification, this.data});

  Notification? notification;
  Map<String?, Object?>? data;
}

class Push {
  static final instance = Push();

  late FutureOr<void> Function(RemoteMessage message) message;
  late FutureOr<void> Function(Map<String?, Object?> data) tap;
  late FutureOr<void> Function(String token) newToken;
  Map<String?, Object?>? launch;
  Completer<String> given = Completer();

  void Function() addOnMessage(FutureOr<void> Function(RemoteMessage message) handler) {
    message = handler;
    return () {};
  }

  void Function() addOnNewToken(FutureOr<void> Function(String token) handler) {
    newToken = handler;
    return () {};
  }

  void Function() addOnNotificationTap(FutureOr<void> Function(Map<String?, Object?> data) handler) {
    tap = handler;
    return () {};
  }

  Future<Map<String?, Object?>?> get notificationTapWhichLaunchedAppFromTerminated async => launch;

  Future<String?> get token => given.future;

  Future<bool> requestPermission({bool badge = true, bool sound = true, bool alert = true}) async => true;
}
