import type { ActionDelivery, AnyAction, DeliveryResult } from '../action/action.ts';
import { type ActionEvent, actionEvents, type Notice } from '../action/notice.ts';
import type { Clock, Milliseconds } from '../loop/clock.ts';
import { assert, type Clause } from './clause.ts';

/** The options of one use of an action, complete and decrypted. */
type ActionOptions = Readonly<Record<string, unknown>>;

/** An action and places that it delivers to. The author provides them, because only the action knows what its options mean. */
export interface ActionUnderTest {
  readonly action: AnyAction;
  /** Options whose deliveries arrive. */
  readonly reachable: ActionOptions;
  /** Options whose deliveries cannot arrive, each for a reason of its own. */
  readonly unreachable: readonly ActionOptions[];
  /** Options that make the action wait: the receiver accepts and does not respond. Empty where it waits for nothing. */
  readonly unresponsive: readonly ActionOptions[];
  /** Secrets in those options, which the action must not show. */
  readonly secrets: readonly string[];
  /** Counts what has arrived, by other means than the action. */
  arrived(): Promise<number> | number;
  /** Counts what deliveries hold open: connections, processes. */
  connections(): Promise<number> | number;
  /** Removes what was made for the check. */
  close?(): Promise<void> | void;
}

/** The time in which a delivery must close what it opened. */
const timeLimit: Milliseconds = 5000;

/**
 * The contract of every action, clause by clause:
 * `for (const { title, check } of actionContract(() => mine, clock)) it(title, check)`.
 * @param make returns the action and its receivers for one check.
 * @param clock measures how long a delivery takes.
 */
export function actionContract(
  make: () => Promise<ActionUnderTest> | ActionUnderTest,
  clock: Clock,
): readonly Clause[] {
  return Object.entries(checks).map(([title, check]) => ({
    title,
    async check() {
      const receivers = await make();
      try {
        await check(new Deliveries(receivers, clock));
      } finally {
        await receivers.close?.();
      }
    },
  }));
}

/** Returns a notice as an action receives it, for tests of actions. @param given replaces its parts. */
export function noticeOf(event: ActionEvent, given: Partial<Notice> = {}): Notice {
  const at = Date.UTC(2026, 10, 20, 23, 31, 12);
  const job = { id: 34, state: 'failed', attempt: 3, exit_code: 3, signal: null };
  const task = {
    id: 12,
    state: event === 'on_missed' ? 'missed' : 'failed',
    window_start: Date.UTC(2026, 10, 20),
    window_end: Date.UTC(2026, 10, 21),
    deadline: Date.UTC(2026, 10, 21),
    attempts: 3,
  };
  return {
    event,
    occurred_at: at,
    reason: 'the last attempt failed (exit code 3); all 3 attempts are used up',
    company: { id: 1, code: 'acme', name: 'Acme Inc.' },
    runtemplate: { id: 7, code: 'nightly-backup', name: 'Nightly backup of the shop' },
    app: { id: 2, code: 'pg-dump', name: 'Database backup' },
    task,
    job: event === 'on_missed' ? null : job,
    run_id: 'b6a1f1e0-5b1c-8a3f-9c57-0d7f3a2c4e11',
    failures: 1,
    failing_since: at,
    digest: null,
    output: null,
    link: 'https://horarium.example/api/v1/task/12.html',
    ...given,
  };
}

/** The deliveries of one check. */
class Deliveries {
  readonly receivers: ActionUnderTest;
  readonly #clock: Clock;
  #count = 0;

  constructor(receivers: ActionUnderTest, clock: Clock) {
    this.receivers = receivers;
    this.#clock = clock;
  }

  /** Delivers a notice. An async function, because an action may throw before it returns a promise. */
  async deliver(
    options: ActionOptions,
    given: Partial<ActionDelivery> = {},
    signal = new AbortController().signal,
  ): Promise<DeliveryResult> {
    this.#count += 1;
    const delivery: ActionDelivery = {
      id: `00000000-0000-4000-8000-${String(this.#count).padStart(12, '0')}`,
      attempt: 1,
      options,
      notice: noticeOf('on_failure'),
      hasEnded: true,
      deactivateTemplate: async () => 'The template is switched off.',
      ...given,
    };
    return this.receivers.action.deliver(delivery, signal);
  }

  /** Polls a condition. @throws Error with the requirement when the condition does not hold within the time limit. */
  async require(requirement: string, condition: () => Promise<boolean>): Promise<void> {
    const deadline = this.#clock.elapsed() + timeLimit;
    while (!(await condition())) {
      assert(this.#clock.elapsed() < deadline, requirement);
      await this.#clock.sleep(10);
    }
  }

  requireClosed(): Promise<void> {
    const isClosed = async () => (await this.receivers.connections()) === 0;
    return this.require('A delivery must close what it opened', isClosed);
  }

  /** Requires that what an action tells contains none of the secrets. */
  requireNoSecret(told: string): void {
    const secret = this.receivers.secrets.find((each) => told.includes(each));
    assert(secret === undefined, 'What an action tells must contain no secret of its options', told);
  }
}

const checks: Readonly<Record<string, (deliveries: Deliveries) => Promise<void>>> = {
  async 'resolves when the notice has arrived'(deliveries) {
    const { receivers } = deliveries;
    const before = await receivers.arrived();
    const { status, response } = await deliveries.deliver(receivers.reachable);
    assert((await receivers.arrived()) > before, 'A notice must have arrived when its delivery resolves');
    assert(status === undefined || Number.isInteger(status), 'A status must be a whole number', status);
    assert(response === undefined || typeof response === 'string', 'A response must be a text', response);
    deliveries.requireNoSecret(response ?? '');
    await deliveries.requireClosed();
  },

  async 'delivers a notice of every event, and of a digest'(deliveries) {
    const { reachable } = deliveries.receivers;
    for (const event of actionEvents)
      await deliveries.deliver(reachable, { notice: noticeOf(event), hasEnded: event !== 'on_start' });
    const adHoc = noticeOf('on_failure', { task: null, link: null, reason: null });
    await deliveries.deliver(reachable, { notice: adHoc });
    const { occurred_at: at, reason, task, job } = noticeOf('on_failure');
    const digest = { count: 2, first_at: at, last_at: at, failures: [{ occurred_at: at, reason, task, job }] };
    await deliveries.deliver(reachable, { notice: noticeOf('on_failure', { failures: 3, digest }) });
  },

  async 'delivers a notice again, because it is not known whether it arrived when the service died'(deliveries) {
    const { reachable } = deliveries.receivers;
    const id = '11111111-1111-4111-8111-111111111111';
    await deliveries.deliver(reachable, { id });
    await deliveries.deliver(reachable, { id, attempt: 2 });
  },

  async 'rejects with a sentence without secrets when the notice cannot arrive'(deliveries) {
    for (const options of deliveries.receivers.unreachable) {
      const error = await deliveries.deliver(options).then(
        () => null,
        (reason: unknown) => reason,
      );
      assert(error !== null, 'A delivery must reject when the notice did not arrive');
      assert(error instanceof Error, 'A delivery must reject with an Error', error);
      assert(/^\S+( \S+)+$/.test(error.message), 'The message must be a sentence on one line', error.message);
      deliveries.requireNoSecret(error.message);
      await deliveries.requireClosed();
    }
  },

  async 'names an endpoint without secrets'(deliveries) {
    const { action, reachable, unreachable } = deliveries.receivers;
    for (const options of [reachable, ...unreachable]) {
      const endpoint: unknown = action.endpoint?.(options) ?? action.name;
      assert(typeof endpoint === 'string' && endpoint !== '', 'An endpoint must be a text', endpoint);
      deliveries.requireNoSecret(endpoint);
    }
  },

  async 'settles and closes what it opened when the signal aborts'(deliveries) {
    const { unresponsive, connections } = deliveries.receivers;
    for (const options of unresponsive) {
      const abort = new AbortController();
      let isSettled = false;
      const isRejected = deliveries
        .deliver(options, {}, abort.signal)
        .then(
          () => false,
          () => true,
        )
        .finally(() => {
          isSettled = true;
        });
      await deliveries.require('A delivery must connect', async () => isSettled || (await connections()) > 0);
      abort.abort();
      await deliveries.require('A delivery must settle when its signal aborts', async () => isSettled);
      assert(await isRejected, 'A delivery must reject when nothing responded');
      await deliveries.requireClosed();
    }
  },
};
