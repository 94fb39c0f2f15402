/// What the library uses of Flutter's widgets.
library;

class Locale {
  String toLanguageTag() => 'de-AT';
}

class PlatformDispatcher {
  final locale = Locale();
}

class WidgetsBinding {
  final platformDispatcher = PlatformDispatcher();
}

class WidgetsFlutterBinding extends WidgetsBinding {
  static WidgetsBinding ensureInitialized() => WidgetsBinding();
}

class AppLifecycleListener {
  AppLifecycleListener({void Function()? onResume}) {
    resume = onResume ?? resume;
  }

  /// As if the app was resumed.
  static void Function() resume = () {};
}
