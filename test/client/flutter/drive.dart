import 'dart:convert';
import 'dart:io';

import 'package:bellhop/src/contract.dart';
import 'package:bellhop/src/keeper.dart';

/// Takes an event a line, `null` for none, and answers each with the state and what was refused: see drive.ts.
Future<void> drive(List<String> args) async {
  final [server, app] = args;
  final folder = await Directory.systemTemp.createTemp('bellhop-flutter-');
  final told = <Fields>[];
  var laterMs = 0;
  final keeper = await Keeper.open(
    folder: folder,
    server: server,
    app: app,
    platform: '1',
    tell: told.add,
    now: () => DateTime.now().millisecondsSinceEpoch + laterMs,
  );
  await for (final line in stdin.transform(utf8.decoder).transform(const LineSplitter())) {
    final event = jsonDecode(line) as Fields?;
    if (event case {'kind': 'later', 'ms': final int ms}) {
      laterMs += ms;
    } else if (event != null) {
      await keeper.take(event);
    }
    await keeper.send();
    final kept = jsonDecode(await File('${folder.path}/bellhop.json').readAsString()) as Fields;
    final refused = [
      for (final {'kind': kind, 'status': status} in told) {'kind': kind, 'status': status},
    ];
    print(jsonEncode({'state': kept['state'], 'told': refused}));
    told.clear();
  }
}
