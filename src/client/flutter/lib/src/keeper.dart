import 'dart:async';
import 'dart:convert';
import 'dart:io';
import 'dart:math';

import 'contract.dart';

const _answerTime = Duration(seconds: 30);

/// `bellhop client` writes the release in.
const _client = 'flutter/0.0.0';

/// Keeps the state of this device in a file, and makes the calls that are due.
class Keeper {
  Keeper._(this._file, this._server, this._app, this._tell, this._now, this.state);

  /// What another application, or another platform, has left is nothing.
  static Future<Keeper> open({
    required Directory folder,
    required String server,
    required String app,
    required String platform,
    required void Function(Fields refused) tell,
    int Function() now = _systemNow,
  }) async {
    final file = File('${folder.path}/bellhop.json');
    final kept = await _read(file);
    final state = kept?['state'];
    final isOurs = kept?['app'] == app && state is Fields && state['platform'] == platform;
    return Keeper._(file, server, app, tell, now, {...begin(platform), if (isOurs) ...state});
  }

  final File _file;
  final String _server;
  final String _app;
  final void Function(Fields refused) _tell;
  final int Function() _now;
  final _random = Random();
  Fields state;
  var _isSending = false;
  Future<void> _written = Future.value();

  /// How long nothing is sent after an error; `null`: nothing waits.
  Duration? get wait {
    final until = (state['wait'] as Fields?)?['until'] as int?;
    return until == null ? null : Duration(milliseconds: max(until - _now(), 0) + 1);
  }

  /// Changes the state at once. Completes when it is kept.
  Future<void> take(Fields event) {
    final found = step(state, event, _now(), _random.nextDouble());
    state = found.state;
    if (found.tell case final refused?) _tell(refused);
    final text = jsonEncode({'app': _app, 'state': state});
    return _written = _written.then((_) => _write(text));
  }

  /// Makes all calls that are due, one after the other. While it runs, a second call has nothing to do.
  Future<void> send() async {
    if (_isSending) return;
    _isSending = true;
    try {
      for (var due = next(state, _now()); due != null; due = next(state, _now())) {
        await _written;
        unawaited(take(await _call(due)));
      }
    } finally {
      _isSending = false;
    }
    await _written;
  }

  static Future<Fields?> _read(File file) async {
    try {
      final kept = jsonDecode(await file.readAsString());
      return kept is Fields ? kept : null;
    } on FormatException {
      return null;
    } on FileSystemException {
      return null;
    }
  }

  /// On a full disk nothing is kept, but everything is sent.
  Future<void> _write(String text) async {
    final other = File('${_file.path}.new');
    try {
      await other.parent.create(recursive: true);
      await other.writeAsString(text, flush: true);
      await other.rename(_file.path);
    } on FileSystemException {
      return;
    }
  }

  Future<Fields> _call(Fields request) async {
    final client = HttpClient();
    try {
      return await _answerTo(client, request).timeout(_answerTime);
    } on Exception {
      return {'kind': 'failed', 'request': request};
    } finally {
      client.close(force: true);
    }
  }

  Future<Fields> _answerTo(HttpClient client, Fields request) async {
    final body = utf8.encode(jsonEncode(request['body']));
    final call = await client.putUrl(Uri.parse('$_server/${request['path']}'));
    call.headers
      ..set('Content-Type', 'application/json')
      ..set('Accept-Version', '1')
      ..set('X-SERVICE-APPID', _app)
      ..set('X-BELLHOP-CLIENT', _client)
      ..contentLength = body.length;
    call.add(body);
    final answer = await call.close();
    final text = await const Utf8Decoder(allowMalformed: true).bind(answer).join();
    final retryAfterS = double.tryParse(answer.headers.value('retry-after') ?? '') ?? -1;
    return {
      'kind': 'answered',
      'request': request,
      'status': answer.statusCode,
      if (retryAfterS >= 0) 'retryAfterS': retryAfterS,
      if (answer.statusCode >= 400) ..._refusalIn(text),
    };
  }

  /// What a proxy says is no JSON.
  static Fields _refusalIn(String text) {
    try {
      final said = jsonDecode(text);
      return {
        if (said case {'code': final String code}) 'code': code,
        if (said case {'message': final String message}) 'message': message,
      };
    } on FormatException {
      return const {};
    }
  }
}

int _systemNow() => DateTime.now().millisecondsSinceEpoch;
