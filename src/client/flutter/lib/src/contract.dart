/// The contract of Bellhop's client libraries as pure functions: contract.md beside this library in Bellhop's source.
/// State, events and requests are JSON, as they are kept and sent. Times are ms since 1970.
library;

import 'dart:math';

typedef Fields = Map<String, Object?>;

const _secondMs = 1000;
const _dayMs = 86400 * _secondMs;
const _longestWaitMs = 900 * _secondMs;
const _mostReports = 200;

/// The state at first.
Fields begin(String platform) => {
      'platform': platform,
      'token': null,
      'device': <String, Object?>{},
      'known': null,
      'signOut': false,
      'leaving': false,
      'refused': null,
      'wait': null,
      'reports': <Object?>[],
    };

/// What a state becomes. `random`: in [0, 1). `tell`: what was refused, for the app's developer.
({Fields state, Fields? tell}) step(Fields state, Fields event, int now, double random) {
  final device = state['device'] as Fields;
  final known = state['known'] as Fields?;
  final signOut = state['signOut'] as bool;
  final reports = _reportsIn(state).where((report) => now - (report['at'] as int) < _dayMs).toList();
  final Fields kept = {...state, 'reports': reports};
  ({Fields state, Fields? tell}) to(Fields change) => (state: {...kept, ...change}, tell: null);

  switch (event['kind']) {
    case 'token':
      final keys = event['keys'];
      return to({
        'token': event['token'],
        'leaving': false,
        if (keys != null) 'device': {...device, 'keys': keys},
      });
    case 'set':
      final fields = event['device'] as Fields;
      if (!fields.containsKey('user')) return to({'device': {...device, ...fields}});
      // As a login does.
      return to({
        'device': {..._without(device, const {'user_proof'}), ...fields},
        'signOut': signOut || _knowsOther(known, fields['user']),
      });
    case 'login':
      final user = event['user'];
      final proof = event['proof'];
      return to({
        'device': {
          ..._without(device, _user),
          'user': user,
          if (proof != null) 'user_proof': proof,
        },
        'signOut': signOut || _knowsOther(known, user),
      });
    case 'logout':
      return to({'device': _without(device, _user), 'signOut': signOut || _knowsOther(known, null)});
    case 'report':
      final all = [
        ...reports,
        {..._without(event, const {'kind'}), 'at': now},
      ];
      return to({'reports': all.sublist(max(0, all.length - _mostReports))});
    case 'leave':
      // Whoever comes back before the server heard of it is not the user of before.
      return to({
        'leaving': true,
        'signOut': signOut || _knowsOther(known, null),
        'device': _without(device, _user),
      });
    case 'answered':
      return _answered(kept, event, now, random);
    case 'failed':
      return to({'wait': _waitAfter(state, now, random, null)});
    case 'resume':
      final wait = state['wait'] as Fields?;
      return to({'wait': wait?['asked'] == true ? wait : null});
    default:
      throw ArgumentError.value(event['kind'], 'kind');
  }
}

/// Whether a push removes a notification: its `bellhop`, and what is shown. `push`: `null` where it is not known.
bool isRemoved(Map<Object?, Object?> bellhop, {required String? push, required String? tag}) {
  final withdrawn = bellhop['withdrawn'];
  return withdrawn != null && (push == null ? tag == bellhop['tag'] : push == withdrawn);
}

/// The request that is due, `{kind, path, body}`; `null`: none.
Fields? next(Fields state, int now) {
  final platform = state['platform'];
  final token = state['token'];
  final known = state['known'] as Fields?;
  final wait = state['wait'] as Fields?;
  if (wait != null && _isOpen(wait, now)) return null;
  if (state['leaving'] as bool) {
    if (known == null) return null;
    return _request('leave', 'deviceToken/del', {'token': known['token'], 'platform': platform});
  }
  if (state['signOut'] as bool && known != null) {
    final keys = (known['body'] as Fields)['keys'];
    return _request('sign-out', 'deviceToken', {
      'token': known['token'],
      'platform': platform,
      if (keys != null) 'keys': keys,
      'user': '',
    });
  }
  if (token != null) {
    final Fields body = {...state['device'] as Fields, 'token': token, 'platform': platform};
    if (!_isOfToday(known, body, now) && !_isOfToday(state['refused'] as Fields?, body, now)) {
      return _request('register', 'deviceToken', {
        ...body,
        if (known != null && known['token'] != token) 'replaces': known['token'],
      });
    }
  }
  final reports = _reportsIn(state);
  if (reports.isEmpty || known == null) return null;
  return _request('report', 'stats', {
    'platform': platform,
    'token': known['token'],
    ..._without(reports.first, const {'at'}),
  });
}

const _user = {'user', 'user_proof'};

Fields _request(String kind, String path, Fields body) => {'kind': kind, 'path': path, 'body': body};

Iterable<Fields> _reportsIn(Fields state) => (state['reports'] as List<Object?>).cast<Fields>();

({Fields state, Fields? tell}) _answered(Fields state, Fields event, int now, double random) {
  final request = event['request'] as Fields;
  final status = event['status'] as int;
  final message = event['message'];
  final isTaken = status >= 200 && status < 300;
  final isRefused = status >= 400 && status < 500 && status != 408 && status != 429 && event['code'] != null;
  if (!isTaken && !isRefused) {
    final wait = _waitAfter(state, now, random, event['retryAfterS'] as num?);
    return (state: {...state, 'wait': wait}, tell: null);
  }
  final Fields? tell = isTaken
      ? null
      : {'kind': request['kind'], 'status': status, if (message != null) 'message': message};
  return (state: {...state, 'wait': null, ..._settled(state, request, tell, now)}, tell: tell);
}

/// What has changed with the last word on a request.
Fields _settled(Fields state, Fields request, Fields? tell, int now) {
  final known = state['known'] as Fields?;
  final body = request['body'] as Fields;
  switch (request['kind']) {
    case 'report':
      bool isOf(Fields report) => const ['id', 'event', 'action'].every((name) => report[name] == body[name]);
      return {'reports': _reportsIn(state).where((report) => !isOf(report)).toList()};
    case 'leave':
      return {'known': null, 'refused': null, 'signOut': false};
    case 'sign-out':
      return {
        'signOut': false,
        if (known != null) 'known': {...known, 'body': _without(known['body'] as Fields, _user)},
      };
    default:
      final said = _without(body, const {'replaces'});
      final device = state['device'] as Fields;
      // The token that the library before this one had is said once.
      final isOver = tell != null || body['replaces'] == device['replaces'];
      final Fields rest = {'device': isOver ? _without(device, const {'replaces'}) : device};
      if (tell != null) {
        return {
          ...rest,
          'refused': {'body': said, 'at': now, ..._without(tell, const {'kind'})},
        };
      }
      final Fields accepted = {'token': body['token'], 'body': said, 'at': now};
      // Somebody may have signed out, or in, while it was on its way.
      return {...rest, 'known': accepted, 'refused': null, 'signOut': _knowsOther(accepted, device['user'])};
  }
}

/// Whether the server knows a user, and another one than [user].
bool _knowsOther(Fields? known, Object? user) {
  final before = (known?['body'] as Fields?)?['user'] ?? '';
  return before != '' && before != user;
}

/// A refusal that an older version has kept has no time.
bool _isOfToday(Fields? said, Fields body, int now) {
  final at = said?['at'];
  return at is int && _isSame(said?['body'], body) && (now - at).abs() < _dayMs;
}

bool _isOpen(Fields wait, int now) {
  final leftMs = (wait['until'] as int) - now;
  return leftMs > 0 && leftMs <= (wait['asked'] == true ? _dayMs : _longestWaitMs);
}

Fields _waitAfter(Fields state, int now, double random, num? retryAfterS) {
  final attempt = ((state['wait'] as Fields?)?['attempt'] as int? ?? 0) + 1;
  final longest = min(_secondMs << min(attempt - 1, 20), _longestWaitMs);
  final own = longest * (1 + random) / 2;
  final asked = min((retryAfterS ?? 0) * _secondMs, _dayMs);
  return {'attempt': attempt, 'until': now + max(own, asked).round(), if (asked > own) 'asked': true};
}

Fields _without(Fields fields, Set<String> names) => {
      for (final MapEntry(:key, :value) in fields.entries)
        if (!names.contains(key)) key: value,
    };

/// Of JSON; the order of fields does not count.
bool _isSame(Object? one, Object? other) {
  if (one is Map && other is Map) {
    return one.length == other.length &&
        one.keys.every((name) => other.containsKey(name) && _isSame(one[name], other[name]));
  }
  if (one is List && other is List) {
    return one.length == other.length && Iterable<int>.generate(one.length).every((at) => _isSame(one[at], other[at]));
  }
  return one == other;
}
