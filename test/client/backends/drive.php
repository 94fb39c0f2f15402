<?php

// Carries out the calls that test/client/backends.test.ts gives, a line each, with the files of arguments 1 and 2.

/** Stands in for what Laravel has. */
namespace Illuminate\Notifications {
    class Notification
    {
        public string $id;

        public function __construct(private array $given)
        {
            $this->id = "laravel-{$given['job']}";
        }

        public function toBellhop(object $notifiable): array
        {
            return $this->given['message'];
        }
    }

    class Notifiable
    {
        public function __construct(private array $given)
        {
        }

        public function getKey(): string
        {
            return $this->given['user'];
        }

        public function routeNotificationFor(string $driver, ?Notification $notification = null): ?array
        {
            return $driver === 'bellhop' ? $this->given['target'] ?? null : null;
        }
    }
}

namespace {
require $argv[1];
require $argv[2];

use App\Bellhop;
use App\BellhopChannel;
use App\BellhopError;
use Illuminate\Notifications\Notifiable;
use Illuminate\Notifications\Notification;

function carryOut(array $given): mixed
{
    return match ($given['call']) {
        'push' => (new Bellhop(...$given['place'] ?? []))->push($given['target'], $given['message'], $given['key'] ?? null),
        'status' => (new Bellhop())->status($given['id']),
        'proof' => Bellhop::userProof($given['user']),
        'verify' => Bellhop::verifyWebhook($given['body'], $given['headers'], $given['secret'], $given['now']),
        'notify' => (new BellhopChannel(new Bellhop()))->send(new Notifiable($given), new Notification($given)),
        'show' => print_r(new Bellhop(), true),
    };
}

while (($line = fgets(STDIN)) !== false) {
    try {
        $said = ['is' => carryOut(json_decode($line, true))];
    } catch (BellhopError $error) {
        $said = ['status' => $error->getCode(), 'code' => $error->reason, 'message' => $error->getMessage()];
    } catch (InvalidArgumentException $error) {
        $said = ['message' => $error->getMessage()];
    }
    echo json_encode($said), "\n";
}
}
