<?php
// Lock of symfony/lock with RedisStore and phpredis: one attempt. The random bytes of PHP come from the
// kernel directly, where the search does not see them, so RedisStore gets a token of the search.
namespace Symfony\Component\Lock\Store {
    function random_bytes(int $length): string
    {
        return $GLOBALS['redis']->rawCommand('INTERLOCK', 'TOKEN');
    }
}

namespace {
    require 'Symfony/Component/Lock/autoload.php';

    $redis = new Redis();
    $redis->connect(getenv('REDIS_HOST'), (int) getenv('REDIS_PORT'));

    $store = new Symfony\Component\Lock\Store\RedisStore($redis, 1.5);
    $lock = (new Symfony\Component\Lock\LockFactory($store))->createLock('lock.foo', 1.5);
    if ($lock->acquire()) {
        $redis->rawCommand('INTERLOCK', 'ENTER', 'lock.foo');
        $redis->rawCommand('INTERLOCK', 'LEAVE', 'lock.foo');
        $lock->release();
    }
}
