import 'dart:convert';
import 'dart:io';

import 'package:bellhop/src/contract.dart';

/// Runs the cases of vectors.json, the only argument, and prints those that fail.
Future<void> runVectors(List<String> args) async {
  final vectors = jsonDecode(await File(args.single).readAsString()) as Fields;
  final cases = (vectors['cases'] as List<Object?>).cast<Fields>();
  var failed = 0;
  for (final one in cases) {
    final now = one['now'] as int? ?? 1000000;
    final random = (one['random'] as num? ?? 0.5).toDouble();
    final Fields before = {...begin('1'), ...one['before'] as Fields};
    final event = one['event'] as Fields?;
    final found = event == null ? (state: before, tell: null) : step(before, event, now, random);
    // As it is after it was kept.
    final state = jsonDecode(jsonEncode(found.state)) as Fields;
    final Fields wanted = {...begin('1'), ...(one['after'] ?? one['before']) as Fields};
    final result = _text([state, found.tell, next(state, now)]);
    final expected = _text([wanted, one['tell'], one['request']]);
    if (result == expected) continue;
    failed++;
    print('${one['name']}\n  expected $expected\n  found    $result');
  }
  final withdrawals = (vectors['withdrawals'] as List<Object?>).cast<Fields>();
  for (final one in withdrawals) {
    final shown = one['shown'] as Fields;
    final found = isRemoved(one['bellhop'] as Fields, push: shown['push'] as String?, tag: shown['tag'] as String?);
    if (found == one['removed']) continue;
    failed++;
    print('${one['name']}: found $found');
  }
  final all = cases.length + withdrawals.length;
  print('${all - failed} of $all hold');
  if (failed > 0) exitCode = 1;
}

/// With the fields in order.
String _text(Object? value) => jsonEncode(_sorted(value));

Object? _sorted(Object? value) => switch (value) {
      Map<String, Object?>() => {for (final name in value.keys.toList()..sort()) name: _sorted(value[name])},
      List<Object?>() => value.map(_sorted).toList(),
      _ => value,
    };
