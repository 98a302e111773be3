import type { Clock } from '../loop/clock.ts';
import { assertIs } from './assertions.ts';
import { assert, type Clause, clausesOf } from './clause.ts';

/**
 * The contract of every clock.
 * @param pass lets at least that many milliseconds pass.
 */
export function clockContract(clock: Clock, pass: (milliseconds: number) => Promise<void> | void): readonly Clause[] {
  return clausesOf({
    async 'goes forward'() {
      const [now, elapsed] = [clock.now(), clock.elapsed()];
      await pass(20);
      assert(clock.now() >= now + 19, 'now() must go forward with the time');
      assert(clock.elapsed() >= elapsed + 19, 'elapsed() must go forward with the time');
    },

    async 'counts the time since the boot, which stays the same'() {
      const { boot } = clock;
      assert(boot === null || boot !== '', 'boot must be a name or null', boot);
      const uptime = clock.uptime();
      await pass(50);
      assert(clock.uptime() >= uptime + 30, 'uptime() must go forward with the time', clock.uptime() - uptime);
      assertIs(clock.boot, boot, 'The boot');
    },

    async 'counts the time in which it waits for a processor as part of the time that passes'() {
      const read = () => [clock.elapsed(), clock.cpuDelay?.() ?? 0, clock.elapsed()] as const;
      const [before, delayBefore] = read();
      await pass(5);
      const [, delay, after] = read();
      assert(delay >= delayBefore, 'cpuDelay() must not go back', [delayBefore, delay]);
      assert(delay - delayBefore <= after - before + 1, 'cpuDelay() must go no faster than elapsed()', delay);
    },

    async 'sleeps at least as long as it is asked to'() {
      const before = clock.elapsed();
      const sleep = clock.sleep(15).then(() => clock.elapsed() - before);
      await pass(20);
      const slept = await sleep;
      assert(slept >= 15, 'sleep(15) must last 15 ms at least', slept);
    },

    async 'wakes at once when the signal aborts, also from a sleep longer than a timer can be'() {
      const abort = new AbortController();
      const sleep = clock.sleep(2 ** 40, abort.signal);
      abort.abort();
      let isAwake = false;
      const wakes = sleep
        .then(() => clock.sleep(2 ** 40, abort.signal))
        .then(() => {
          isAwake = true;
        });
      for (let turn = 0; turn < 100; turn++) await null;
      assert(isAwake, 'A sleep must end at once when its signal aborts');
      await wakes;
    },

    async 'does not wake early from a sleep longer than a timer can be'() {
      const abort = new AbortController();
      let awake = false;
      const sleep = clock.sleep(2 ** 40, abort.signal).then(() => {
        awake = true;
      });
      await pass(30);
      assert(!awake, 'A sleep must not end before its time');
      abort.abort();
      await sleep;
    },

    async 'removes its listener from the signal when it wakes by itself'() {
      const abort = new AbortController();
      let listeners = 0;
      const { signal } = abort;
      const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
      signal.addEventListener = (...given: Parameters<typeof add>) => {
        listeners++;
        add(...given);
      };
      signal.removeEventListener = (...given: Parameters<typeof remove>) => {
        listeners--;
        remove(...given);
      };
      const sleep = clock.sleep(1, signal);
      await pass(5);
      await sleep;
      assertIs(listeners, 0, 'The number of listeners');
    },
  });
}
