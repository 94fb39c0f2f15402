import analysis from './flutter/analysis_options.yaml' with { type: 'text' }
import bellhop from './flutter/lib/bellhop.dart' with { type: 'text' }
import firebase from './flutter/lib/firebase.dart' with { type: 'text' }
import push from './flutter/lib/push.dart' with { type: 'text' }
import contract from './flutter/lib/src/contract.dart' with { type: 'text' }
import keeper from './flutter/lib/src/keeper.dart' with { type: 'text' }
import source from './flutter/lib/src/push_source.dart' with { type: 'text' }
import pubspec from './flutter/pubspec.yaml' with { type: 'text' }
import { released } from './library.ts'
import type { Library } from './library.ts'

export const flutterLibrary: Library = {
  tried:
    'Compiled against stand-ins for Flutter and the plugins and driven against a server; not built with Flutter or run on a phone.',
  files: () => ({
    'pubspec.yaml': released(pubspec),
    'analysis_options.yaml': analysis,
    'lib/bellhop.dart': bellhop,
    'lib/firebase.dart': firebase,
    'lib/push.dart': push,
    'lib/src/contract.dart': contract,
    'lib/src/keeper.dart': released(keeper),
    'lib/src/push_source.dart': source,
  }),
  use: ({ server, app }, folder) => `In the folder of your app:

  flutter pub add firebase_core firebase_messaging
  flutter pub add bellhop --path ${folder}

In lib/main.dart:

  import 'package:bellhop/firebase.dart';

  Future<void> main() async {
    WidgetsFlutterBinding.ensureInitialized();
    await Firebase.initializeApp();
    Bellhop.start(app: '${app}', server: '${server}', push: FirebasePush());
    Bellhop.onOpen((tap) { /* tap.link, tap.data */ });
    runApp(const MyApp());
  }

Without Firebase on iPhones: the package push in place of firebase_core and firebase_messaging, push.dart in place of
firebase.dart, and PluginPush() in place of FirebasePush().
`,
}
