<?php

/**
 * A channel for Laravel's notifications, beside Bellhop.php of `bellhop backend php`: `via()` of a notification names
 * BellhopChannel::class, and its `toBellhop($notifiable)` returns the message, such as ['title' => …, 'msg' => …].
 * For Laravel 10 to 12. Tried against a stand-in, not in Laravel (2026-11-27).
 */

declare(strict_types=1);

namespace App;

use Illuminate\Notifications\Notification;

final class BellhopChannel
{
    public function __construct(private readonly Bellhop $bellhop)
    {
    }

    /** To the user with the notifiable's key, unless its `routeNotificationForBellhop()` returns another target. */
    public function send(object $notifiable, Notification $notification): void
    {
        $target = $notifiable->routeNotificationFor('bellhop', $notification);
        $this->bellhop->push(
            $target ?? ['users' => [(string) $notifiable->getKey()]],
            $notification->toBellhop($notifiable),
            // A job that is tried again has the same.
            $notification->id,
        );
    }
}
