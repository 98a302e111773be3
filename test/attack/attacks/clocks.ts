import { FakedClock, libfaketime } from '../../support/clocks/faked-clock.ts';
import { checkedFetch } from '../../support/http/checked-fetch.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { TestPostgres } from '../../support/store/test-postgres.ts';
import { type Attack, NotTried } from '../attack.ts';
import { createWorld, worldOf } from '../own-target.ts';
import { Client, type Target } from '../target.ts';

/** The length of the windows, in seconds. */
const step = 5;
const halfAnHour = 1800;
const day = 86_400;

interface Schedule {
  readonly clock: FakedClock;
  /** Confirms, as an administrator, that the clock is right. */
  confirm(): Promise<void>;
  /** The status of `/readyz`. */
  readiness(): Promise<number>;
  /** Waits until that many further Tasks are fulfilled. */
  fulfil(count: number): Promise<void>;
  /** The Tasks up to the present, from the first that was fulfilled, in order. */
  tasks(): Promise<readonly { readonly state: string; readonly start: number }[]>;
}

const clockAhead: Attack = {
  claim: 'A clock that jumps ahead misses no window, and /readyz fails until it is confirmed or back',
  attempt: (target) =>
    withSchedule(target, async ({ clock, readiness, fulfil, tasks }) => {
      await fulfil(1);
      clock.set(day);
      await eventually('it is not ready', async () => (await readiness()) === 503);
      await fulfil(2);
      clock.set(0);
      await eventually('it is ready', async () => (await readiness()) === 200);
      await fulfil(1);
      const missed = (await tasks()).filter(({ state }) => state === 'missed').length;
      return missed > 0 ? `${missed} windows were missed` : gapOf(await tasks());
    }),
};

const clockSetBack: Attack = {
  claim: 'A clock that is set back neither silences a schedule nor loses or repeats a window',
  attempt: (target) =>
    withSchedule(target, async ({ clock, readiness, confirm, fulfil, tasks }) => {
      await fulfil(1);
      clock.set(halfAnHour);
      await eventually('it is not ready', async () => (await readiness()) === 503);
      await confirm();
      await fulfil(1);
      clock.set(0);
      await fulfil(2);
      return gapOf(await tasks());
    }),
};

/** Runs a schedule in a service whose clock, or that of whose PostgreSQL, the attack sets. */
async function withSchedule(
  target: Target,
  work: (schedule: Schedule) => Promise<string | null>,
): Promise<string | null> {
  const { kind } = worldOf(target);
  if (libfaketime === undefined) throw new NotTried('HORARIUM_TEST_LIBFAKETIME names no libfaketime');
  using clock = new FakedClock();
  const postgres = kind === 'postgresql' ? new TestPostgres(clock.environment) : undefined;
  try {
    await using world = await (postgres
      ? createWorld(target, {}, { server: await postgres.start() })
      : createWorld(target, clock.environment));
    const fields = { interval: 'custom', cron: `*/${step} * * * * *`, catch_up: 'none' };
    const template = await world.addTemplate('steady', ['-c', 'true'], fields);
    const { url } = await world.startService();
    const fulfilled = async () => (await world.tasks(template)).filter(({ state }) => state === 'fulfilled').length;
    return await work({
      clock,
      async confirm() {
        const { token } = await world.run('token:generate', '--user', 'admin');
        const { status, text } = await new Client(url, token).post('/clock/confirm.json', {});
        if (status !== 200) throw new Error(`POST /clock/confirm.json responded with ${status}: ${text}`);
      },
      readiness: async () => (await checkedFetch(new URL('/readyz', url))).status,
      async fulfil(count) {
        const before = await fulfilled();
        await eventually(`${count} further Tasks are fulfilled`, async () => (await fulfilled()) >= before + count);
      },
      async tasks() {
        const shown = await world.tasks(template);
        const tasks = shown.map(({ state, window_start }) => ({ state, start: Date.parse(window_start) }));
        const past = tasks.filter(({ start }) => start <= Date.now()).sort((one, other) => one.start - other.start);
        return past.slice(past.findIndex(({ state }) => state === 'fulfilled'));
      },
    });
  } finally {
    await postgres?.close();
  }
}

/** Tells the first window that does not follow the one before; null where there is none. */
function gapOf(tasks: Awaited<ReturnType<Schedule['tasks']>>): string | null {
  const starts = tasks.map(({ start }) => start);
  const at = starts.findIndex((start, index) => index > 0 && start - (starts[index - 1] as number) !== step * 1000);
  if (at === -1) return null;
  return `${new Date(starts[at] as number).toISOString()} follows ${new Date(starts[at - 1] as number).toISOString()}`;
}

export const clockAttacks = [clockAhead, clockSetBack];
