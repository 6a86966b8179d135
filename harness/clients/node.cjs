// Loaded into each client that is a program of Node.js (NODE_OPTIONS): its clocks and random numbers
// come from the search, which answers at the paths /interlock/... (preload/chance.cpp). Its timers wait
// there, too.
'use strict';
const fs = require('node:fs');
const crypto = require('node:crypto');
const os = require('node:os');
const threads = require('node:worker_threads');

const token = () => fs.readFileSync('/interlock/token', 'utf8').trim();
const randomBytes = size => {
  const parts = [];
  for (let got = 0; got < size; got += 64) {
    parts.push(Buffer.from(fs.readFileSync('/interlock/random', 'utf8').trim(), 'hex'));
  }
  return Buffer.concat(parts).subarray(0, size);
};

if (process.env.INTERLOCK_CONTROL) {
  process.env.INTERLOCK_CLOCKS = process.env.INTERLOCK_CHANCE = 'adaptor';
  const clock = name => BigInt(fs.readFileSync('/interlock/' + name, 'utf8').trim());
  const RealDate = Date;
  globalThis.Date = class Date extends RealDate {
    constructor(...words) {
      super(...(words.length > 0 ? words : [globalThis.Date.now()]));
    }
    static now() {
      return Number(clock('wall') / 1000000n);
    }
  };
  // Which of these may be assigned to differs between versions of Node.js.
  const replace = (of, name, value) =>
    Object.defineProperty(of, name, { value, writable: true, configurable: true });
  replace(performance, 'now', () => Number(clock('time')) / 1e6);
  process.hrtime = before => {
    const time = clock('time') - (before ? BigInt(before[0]) * 1000000000n + BigInt(before[1]) : 0n);
    return [Number(time / 1000000000n), Number(time % 1000000000n)];
  };
  process.hrtime.bigint = () => clock('time');
  const seconds = () => Number(clock('time')) / 1e9;
  replace(process, 'uptime', seconds);
  replace(os, 'uptime', seconds);
  const refuse = what => {
    try {
      fs.readFileSync('/interlock/refused/' + what);
    } catch {}
    process.exit(1);
  };
  class Worker {
    constructor() {
      refuse('starts a thread (worker_threads), and the threads of a client are not modelled');
    }
  }
  replace(threads, 'Worker', Worker);
  const atomicWait = Atomics.wait;
  Atomics.wait = (...words) => {
    if (words[3] !== undefined) refuse('calls Atomics.wait with a limit, which is not modelled');
    return atomicWait(...words);
  };
  // A buffer whose toString() is a token of the search, in every encoding. Its bytes are the text of
  // this token, however many were asked for.
  const tokenBytes = () => {
    const text = token();
    const bytes = Buffer.from(text);
    bytes.toString = () => text;
    return bytes;
  };
  const later = (done, make) => (done ? process.nextTick(() => done(null, make())) : make());
  // Fewer than 8 bytes may be drawn twice, and a token of the search never is: they are bytes.
  crypto.randomBytes = (size, done) =>
    later(done, () => (size < 8 ? randomBytes(size) : tokenBytes()));
  replace(crypto, 'randomUUID', token);
  replace(crypto.webcrypto, 'randomUUID', token);
  const fill = bytes => {
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).set(randomBytes(bytes.byteLength));
    return bytes;
  };
  replace(crypto, 'randomFillSync', fill);
  replace(crypto.webcrypto, 'getRandomValues', fill);
  Math.random = () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48;
}
