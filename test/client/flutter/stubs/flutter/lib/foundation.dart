/// What the library uses of Flutter's foundation.
library;

enum TargetPlatform { android, fuchsia, iOS, linux, macOS, windows }

TargetPlatform? debugDefaultTargetPlatformOverride;

TargetPlatform get defaultTargetPlatform => debugDefaultTargetPlatformOverride ?? TargetPlatform.android;

const bool kDebugMode = true;

void Function(String? message, {int? wrapWidth}) debugPrint = (message, {wrapWidth}) => print(message);
