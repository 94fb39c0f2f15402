/// Import firebase.dart or push.dart, which have all of this and what FirebasePush or PluginPush needs.
library;

import 'dart:async';
import 'dart:convert';

import 'package:flutter/foundation.dart';
import 'package:flutter/widgets.dart';
import 'package:path_provider/path_provider.dart';

import 'src/contract.dart';
import 'src/keeper.dart';
import 'src/push_source.dart';

export 'src/push_source.dart';

/// A tap on a notification. `data`: the push's payload, as the plugin delivers it.
class Tap {
  const Tap({required this.push, required this.link, required this.data});

  final String? push;
  final String? link;
  final Map<String, Object?> data;
}

/// A push that removes an earlier one from the screen, which the app does: Flutter has nothing for it.
class Withdrawal {
  Withdrawal._(this._bellhop);

  /// For a handler of pushes that arrive in the background. `data`: the push's payload; `null`: it removes nothing.
  static Withdrawal? of(Map<String, Object?> data) {
    final bellhop = _bellhopIn(data);
    return bellhop['withdrawn'] is String ? Withdrawal._(bellhop) : null;
  }

  final Map<Object?, Object?> _bellhop;

  /// Of the Android notification, whose id is 0; the identifier of one on an iPhone.
  String? get tag => _bellhop['tag'] as String?;

  /// Whether it removes what is shown. `push`: its ID, `null` where it is not known.
  bool removes({String? push, String? tag}) => isRemoved(_bellhop, push: push, tag: tag);
}

/// Registers this phone with a Bellhop, and reports what its user opens. Calls return at once: what cannot be sent now is
/// kept, and sent later; what comes before [start] waits for it.
abstract final class Bellhop {
  /// Hears each push that arrives while the app is open.
  static void Function(Message message)? onMessage;

  /// Hears each push that removes another one, while the app is open.
  static void Function(Withdrawal withdrawal)? onWithdraw;

  static const Fields _resume = {'kind': 'resume'};

  static final _keeper = Completer<Keeper>();
  static PushSource? _push;
  static var _receipts = false;
  static var _clear = false;
  static Timer? _again;
  static Tap? _waiting;
  static void Function(Tap tap)? _onOpen;

  /// `app`: the application ID, `app_…`; `server`: its address. `receipts`: also report pushes that arrive while the app is
  /// open. `clear`: a tap also removes the notification from the user's other phones.
  static void start({
    required String app,
    required String server,
    required PushSource push,
    bool receipts = false,
    bool clear = false,
  }) {
    if (app.startsWith('bhs_')) {
      throw ArgumentError('This is the secret of an application. It belongs to your backend. Here goes the ID, app_…');
    }
    if (_push != null) throw StateError('Bellhop has been started.');
    _push = push;
    _receipts = receipts;
    _clear = clear;
    final binding = WidgetsFlutterBinding.ensureInitialized();
    _keeper.complete(_open(app, server, push.platform));
    _take(_resume);
    set({'locale': binding.platformDispatcher.locale.toLanguageTag(), ...push.device});
    push.listen(onToken: _tokenIs, onMessage: _arrived, onTap: _tapped);
    AppLifecycleListener(onResume: () => unawaited(_resumed()));
    register();
  }

  /// Asks whether notifications may be shown. Call it where people see why.
  static Future<bool> requestPermission() async => await _push?.requestPermission() ?? false;

  /// `proof`: from your backend; needed if the application verifies users.
  static void login(String user, {String? proof}) =>
      _take({'kind': 'login', 'user': user, if (proof != null) 'proof': proof});

  static void logout() => _take({'kind': 'logout'});

  /// All tags of this device; empty: none.
  static void setTags(List<String> tags) => set({'tag': tags});

  /// Further fields of `PUT /deviceToken`, such as `active` or `timezone`.
  static void set(Map<String, Object?> device) =>
      // A copy: the app may change its own, and what is no JSON is refused here.
      _take({'kind': 'set', 'device': jsonDecode(jsonEncode(device))});

  /// Unregisters the device. [register], or the next [start], registers it again.
  static void unregister() => _take({'kind': 'leave'});

  static void register() => unawaited(_askForToken());

  /// Hears each tap once, also the one that started the app.
  static void onOpen(void Function(Tap tap) listener) {
    _onOpen = listener;
    final tap = _waiting;
    _waiting = null;
    if (tap != null) listener(tap);
  }

  static Future<Keeper> _open(String app, String server, String platform) async => Keeper.open(
        folder: await getApplicationSupportDirectory(),
        server: server.replaceFirst(RegExp(r'/+$'), ''),
        app: app,
        platform: platform,
        tell: (refused) => _say('${refused['kind']} ${refused['status']}: ${refused['message'] ?? ''}'),
      );

  static void _take(Fields event) => unawaited(_run(event));

  static Future<void> _run([Fields? event]) async {
    final keeper = await _keeper.future;
    if (event != null) await keeper.take(event);
    await keeper.send();
    _again?.cancel();
    final wait = keeper.wait;
    if (wait != null) _again = Timer(wait, () => unawaited(_run()));
  }

  static Future<void> _askForToken() async {
    try {
      final token = await _push?.token();
      if (token != null) _tokenIs(token);
    } on Exception catch (reason) {
      _say('no token yet: $reason');
    }
  }

  static void _tokenIs(String token) => _take({'kind': 'token', 'token': token});

  /// APNs or FCM may not have been reached before.
  static Future<void> _resumed() async {
    await _run(_resume);
    final keeper = await _keeper.future;
    if (keeper.state['token'] == null && keeper.state['leaving'] == false) await _askForToken();
  }

  static void _arrived(Message message) {
    final withdrawal = Withdrawal.of(message.data);
    if (withdrawal != null) return onWithdraw?.call(withdrawal);
    final push = _pushIn(message.data);
    if (_receipts && push != null) _take({'kind': 'report', 'id': push, 'event': 'received'});
    onMessage?.call(message);
  }

  static void _tapped(Map<String, Object?> data) {
    final push = _pushIn(data);
    if (push != null) _take({'kind': 'report', 'id': push, 'event': 'opened', if (_clear) 'clear': true});
    final link = data['link'];
    final tap = Tap(push: push, link: link is String ? link : null, data: data);
    final listener = _onOpen;
    listener == null ? _waiting = tap : listener(tap);
  }

  static String? _pushIn(Map<String, Object?> data) {
    final push = _bellhopIn(data)['push'];
    return push is String ? push : null;
  }

  static void _say(String sentence) {
    if (kDebugMode) debugPrint('Bellhop: $sentence');
  }
}

/// What Bellhop says in a push. An object from APNs, its text from FCM.
Map<Object?, Object?> _bellhopIn(Map<String, Object?> data) {
  final found = data['bellhop'];
  try {
    final bellhop = found is String ? jsonDecode(found) : found;
    return bellhop is Map<Object?, Object?> ? bellhop : const {};
  } on FormatException {
    return const {};
  }
}
