import 'dart:io';

/// Where the test wants it.
late Directory supportDirectory;

Future<Directory> getApplicationSupportDirectory() async => supportDirectory;
