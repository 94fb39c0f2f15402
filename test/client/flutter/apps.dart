import 'dart:async';
import 'dart:convert';
import 'dart:io';

import 'package:bellhop/firebase.dart';
import 'package:bellhop/push.dart';
import 'package:bellhop/src/contract.dart';
import 'package:firebase_messaging/firebase_messaging.dart';
import 'package:flutter/foundation.dart';
import 'package:flutter/widgets.dart';
import 'package:path_provider/path_provider.dart';
import 'package:push/push.dart' as plugin;

const _app = 'app_0123456789abcdef';

/// Prints what the server is sent and the app hears. `args`: the folder of the app.
Future<void> runApp(String name, List<String> args) async {
  supportDirectory = Directory(args.single);
  final server = await _Server.start();
  // A second of waiting takes none.
  final fast = ZoneSpecification(
    createTimer: (self, parent, zone, duration, work) =>
        parent.createTimer(zone, duration.inSeconds == 1 ? Duration.zero : duration, work),
  );
  await runZoned(() => _apps[name]!(server), zoneSpecification: fast);
}

final _apps = <String, Future<void> Function(_Server server)>{
  'android': _android,
  'android-again': _androidAgain,
  'installation-ids': _installationIds,
  'iphone': _iphone,
  'iphone-without-apple': _iphoneWithoutApple,
  'iphone-direct': _iphoneDirect,
  'push-iphone': _pushIphone,
  'secret': _secret,
};

Map<String, String> _data(String push) => {'bellhop': '{"push":"$push"}', 'link': 'shop://$push'};

Future<void> _android(_Server server) async {
  final messaging = FirebaseMessaging.instance
    ..token = 'fcm-1'
    ..initial = RemoteMessage(data: _data('p1'));
  Bellhop.login('ann', proof: '6fa7');
  Bellhop.start(app: _app, server: '${server.origin}/', push: FirebasePush(), receipts: true);
  await server.hears(2);
  for (var times = 0; times < 2; times++) {
    Bellhop.onOpen((tap) => print('tap $times ${tap.push} ${tap.link} ${tap.data['bellhop']}'));
  }

  FirebaseMessaging.taps.add(RemoteMessage(data: _data('p2')));
  await server.hears(1);

  Bellhop.onMessage = (message) => print('message ${message.title} ${message.text} ${message.data['link']}');
  const notification = RemoteNotification(title: 'Cake', body: 'It is ready.');
  FirebaseMessaging.messages.add(RemoteMessage(notification: notification, data: _data('p3')));
  await server.hears(1);
  FirebaseMessaging.taps.add(const RemoteMessage(data: {'bellhop': 'none of ours'}));
  Bellhop.onWithdraw = (it) => print('withdraw ${it.tag} ${it.removes(push: 'p1')} ${it.removes(push: 'p2', tag: 't1')}');
  FirebaseMessaging.messages.add(const RemoteMessage(data: {'bellhop': '{"withdrawn":"p1","tag":"t1"}'}));

  messaging.tokens.add('fcm-2');
  await server.hears(1);
  Bellhop.setTags(['beta']);
  await server.hears(1);
  Bellhop.login('bob');
  await server.hears(2);
  Bellhop.logout();
  await server.hears(1);
  Bellhop.unregister();
  await server.hears(1);
  // Nothing is registered while it is away.
  AppLifecycleListener.resume();
  Bellhop.register();
  await server.hears(1);
  print('may show: ${await Bellhop.requestPermission()}');
}

/// The next launch: the same token, and nothing that is new but a tag.
Future<void> _androidAgain(_Server server) async {
  FirebaseMessaging.instance.token = 'fcm-1';
  Bellhop.start(app: _app, server: server.origin, push: FirebasePush());
  Bellhop.setTags(['gamma']);
  await server.hears(1);
}

Future<void> _installationIds(_Server server) async {
  final ids = StreamController<String>();
  FirebaseMessaging.instance.token = 'not to be asked for';
  Bellhop.start(app: _app, server: server.origin, push: FirebasePush(installationIds: ids.stream));
  ids.add('ctmBeCwtQDuDsClbyr6d3z');
  await server.hears(1);
}

Future<void> _iphone(_Server server) async {
  debugDefaultTargetPlatformOverride = TargetPlatform.iOS;
  FirebaseMessaging.instance
    ..ofApple = [null, null, 'apns-1']
    ..token = 'fcm-1';
  Bellhop.start(app: _app, server: server.origin, push: FirebasePush(showInForeground: false));
  await server.hears(1);
}

Future<void> _iphoneWithoutApple(_Server server) async {
  debugDefaultTargetPlatformOverride = TargetPlatform.iOS;
  final messaging = FirebaseMessaging.instance
    ..ofApple = List.filled(10, null, growable: true)
    ..token = 'fcm-1';
  messaging.ofApple.add('apns-1');
  Bellhop.start(app: _app, server: server.origin, push: FirebasePush());
  while (messaging.ofApple.length > 1) {
    await Future<void>.delayed(Duration.zero);
  }
  print('resumed');
  AppLifecycleListener.resume();
  await server.hears(1);
}

Future<void> _iphoneDirect(_Server server) async {
  debugDefaultTargetPlatformOverride = TargetPlatform.iOS;
  final messaging = FirebaseMessaging.instance
    ..ofApple = [null, 'apns-1']
    ..token = 'fcm-1';
  Bellhop.start(app: _app, server: server.origin, push: FirebasePush(direct: true));
  await server.hears(1);
  messaging.tokens.add('fcm-1');
  Bellhop.setTags(['beta']);
  await server.hears(1);
}

Future<void> _pushIphone(_Server server) async {
  debugDefaultTargetPlatformOverride = TargetPlatform.iOS;
  final push = plugin.Push.instance
    ..launch = {
      'aps': {'alert': 'Cake'},
      'bellhop': <Object?, Object?>{'push': 'p1'},
      null: 1,
    };
  Bellhop.onOpen((tap) => print('tap ${tap.push} ${tap.link} ${tap.data.keys.join(' ')}'));
  Bellhop.start(app: _app, server: server.origin, push: PluginPush());
  push.given.complete('apns-1');
  await server.hears(2);
  push.newToken('apns-2');
  await server.hears(1);
  Bellhop.onMessage = (message) => print('message ${message.title} ${message.data['link']}');
  push.message(plugin.RemoteMessage(notification: plugin.Notification(title: 'Cake'), data: {'link': 'shop://p3'}));
  push.tap({'bellhop': <Object?, Object?>{'push': 'p2'}, 'link': 'shop://p2'});
  await server.hears(1);
}

Future<void> _secret(_Server server) async {
  try {
    Bellhop.start(app: 'bhs_1', server: server.origin, push: FirebasePush());
  } on ArgumentError catch (error) {
    print(error.message);
  }
}

class _Server {
  _Server._(this._server) : _requests = StreamIterator(_server);

  static Future<_Server> start() async => _Server._(await HttpServer.bind(InternetAddress.loopbackIPv4, 0));

  final HttpServer _server;
  final StreamIterator<HttpRequest> _requests;

  String get origin => 'http://127.0.0.1:${_server.port}';

  /// Answers the next requests, and prints them.
  Future<void> hears(int count) async {
    for (var n = 0; n < count; n++) {
      await _requests.moveNext();
      final request = _requests.current;
      final body = jsonDecode(await utf8.decoder.bind(request).join()) as Fields;
      print('${request.uri.path} ${jsonEncode(body)}');
      request.response
        ..headers.contentType = ContentType.json
        ..write('{}');
      await request.response.close();
    }
  }
}
