import 'dart:io';

import 'apps.dart';
import 'drive.dart';
import 'vectors.dart';

/// One program, since compiling takes long.
Future<void> main(List<String> args) async {
  final [name, ...rest] = args;
  await switch (name) {
    'vectors' => runVectors(rest),
    'drive' => drive(rest),
    // What it waits for may never come.
    _ => runApp(name, rest).timeout(const Duration(seconds: 40)),
  };
  exit(exitCode);
}
