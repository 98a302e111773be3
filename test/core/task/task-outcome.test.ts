import { expect } from 'chai';
import {
  type AttemptOutcome,
  type DecisiveTaskFields,
  repetitionChanges,
  startDeadline,
  taskOutcome,
} from '#core/task/task-outcome';

const start = Date.UTC(2026, 10, 21, 5);
const minute = 60_000;
const deadline = start + 30 * minute;
const windowEnd = start + 60 * minute;

/** A Task of an hourly window with a deadline after 30 minutes, after one of three attempts, with a retry delay of one minute. */
const task: DecisiveTaskFields = {
  deadline,
  window_end: windowEnd,
  attempts: 1,
  max_attempts: 3,
  allow_late: false,
  caught_up: false,
  backfilled: false,
  waived_reason: null,
  retry_backoff: 'fixed',
  retry_delay: 60,
  retry_max_delay: 86_400,
};
const soon = start + 5 * minute;
const succeeded = (finishedAt: number): AttemptOutcome => ({
  state: 'succeeded',
  finishedAt,
  reason: null,
  final: false,
});
const failed = (finishedAt: number, fields: Partial<AttemptOutcome> = {}): AttemptOutcome => ({
  state: 'failed',
  finishedAt,
  reason: 'exit code 1',
  final: false,
  ...fields,
});

interface Row {
  readonly when: string;
  readonly task?: Partial<DecisiveTaskFields>;
  readonly end: AttemptOutcome;
  readonly pending?: boolean;
  readonly state: string;
  readonly retryAt?: number;
  readonly reason?: string | null;
}

const rows: readonly Row[] = [
  { when: 'an attempt succeeds before the deadline', end: succeeded(soon), state: 'fulfilled' },
  { when: 'an attempt succeeds at the deadline', end: succeeded(deadline), state: 'fulfilled' },
  {
    when: 'an attempt succeeds at the deadline, with allow_late',
    task: { allow_late: true },
    end: succeeded(deadline),
    state: 'fulfilled',
  },
  {
    when: 'an attempt succeeds a millisecond after the deadline',
    end: succeeded(deadline + 1),
    state: 'failed',
    reason: 'succeeded after the deadline, which does not count',
  },
  {
    when: 'an attempt succeeds a millisecond after the deadline, with allow_late',
    task: { allow_late: true },
    end: succeeded(deadline + 1),
    state: 'fulfilled_late',
  },
  {
    when: 'an attempt succeeds after the window, with allow_late',
    task: { allow_late: true },
    end: succeeded(windowEnd + 1),
    state: 'fulfilled_late',
  },
  {
    when: 'an attempt of a backfilled Task succeeds',
    task: { caught_up: true, backfilled: true },
    end: succeeded(windowEnd + 99 * minute),
    state: 'fulfilled_late',
    reason: 'backfilled',
  },
  {
    when: 'an attempt of a caught-up Task succeeds',
    task: { caught_up: true },
    end: succeeded(windowEnd + 99 * minute),
    state: 'fulfilled_late',
  },
  {
    when: 'an attempt of a waived Task succeeds in time',
    task: { waived_reason: 'deactivated' },
    end: succeeded(soon),
    state: 'fulfilled',
  },
  {
    when: 'an attempt of a waived Task succeeds too late',
    task: { waived_reason: 'deactivated' },
    end: succeeded(deadline + 1),
    state: 'cancelled',
    reason: 'deactivated',
  },
  {
    when: 'an attempt fails and attempts remain',
    end: failed(soon),
    state: 'open',
    retryAt: soon + minute,
    reason: null,
  },
  {
    when: 'an attempt times out and attempts remain',
    end: failed(soon, { state: 'timed_out' }),
    state: 'open',
    retryAt: soon + minute,
  },
  {
    when: 'an attempt is lost and attempts remain',
    end: failed(soon, { state: 'lost' }),
    state: 'open',
    retryAt: soon + minute,
  },
  {
    when: 'the last attempt fails',
    task: { attempts: 3 },
    end: failed(soon),
    state: 'failed',
    reason: 'the last attempt failed (exit code 1); all 3 attempts are used up',
  },
  {
    when: 'the only attempt times out',
    task: { max_attempts: 1 },
    end: failed(soon, { state: 'timed_out', reason: null }),
    state: 'failed',
    reason: 'the attempt timed out',
  },
  {
    when: 'the only attempt fails for a reason that is a sentence',
    task: { max_attempts: 1 },
    end: failed(soon, { reason: 'The directory /a does not exist.' }),
    state: 'failed',
    reason: 'The directory /a does not exist',
  },
  {
    when: 'the last attempt fails for a reason that is a sentence',
    task: { attempts: 3 },
    end: failed(soon, { reason: 'The directory /a does not exist.' }),
    state: 'failed',
    reason: 'the last attempt failed (The directory /a does not exist); all 3 attempts are used up',
  },
  { when: 'an attempt beyond max_attempts fails', task: { attempts: 4 }, end: failed(soon), state: 'failed' },
  {
    when: 'an attempt fails with an exit code that is declared final',
    end: failed(soon, { final: true }),
    state: 'failed',
    reason: 'exit code 1, which is not retried',
  },
  {
    when: 'an attempt fails with a final exit code while another attempt is pending',
    end: failed(soon, { final: true }),
    pending: true,
    state: 'failed',
  },
  {
    when: 'an attempt fails and the retry is due at the deadline',
    end: failed(deadline - minute),
    state: 'open',
    retryAt: deadline,
  },
  {
    when: 'an attempt fails and the retry is due a millisecond after the deadline',
    end: failed(deadline - minute + 1),
    state: 'failed',
    reason: 'exit code 1; a retry would start after the start deadline',
  },
  {
    when: 'an attempt fails and the retry is due after the deadline, with allow_late',
    task: { allow_late: true },
    end: failed(deadline),
    state: 'open',
    retryAt: deadline + minute,
  },
  {
    when: 'an attempt fails and the retry is due at the end of the window, with allow_late',
    task: { allow_late: true },
    end: failed(windowEnd - minute),
    state: 'open',
    retryAt: windowEnd,
  },
  {
    when: 'an attempt fails and the retry is due after the window, with allow_late',
    task: { allow_late: true },
    end: failed(windowEnd - minute + 1),
    state: 'failed',
  },
  {
    when: 'an attempt of a caught-up Task fails, however late',
    task: { caught_up: true },
    end: failed(windowEnd + 99 * minute),
    state: 'open',
    retryAt: windowEnd + 100 * minute,
  },
  {
    when: 'the last attempt of a caught-up Task fails',
    task: { caught_up: true, attempts: 3 },
    end: failed(soon),
    state: 'failed',
  },
  { when: 'an attempt fails while another attempt is pending', end: failed(soon), pending: true, state: 'open' },
  {
    when: 'the last attempt fails while another attempt is pending',
    task: { attempts: 3 },
    end: failed(soon),
    pending: true,
    state: 'open',
  },
  {
    when: 'an attempt of a waived Task fails',
    task: { waived_reason: 'the template was deactivated' },
    end: failed(soon),
    state: 'cancelled',
    reason: 'the template was deactivated',
  },
  {
    when: 'an attempt of a waived Task is lost',
    task: { waived_reason: 'gone' },
    end: failed(soon, { state: 'lost' }),
    state: 'cancelled',
    reason: 'gone',
  },
  {
    when: 'an attempt is cancelled',
    end: failed(soon, { state: 'cancelled', reason: 'cancelled by anna' }),
    state: 'cancelled',
    reason: 'cancelled by anna',
  },
  {
    when: 'an attempt is cancelled without a reason',
    end: failed(soon, { state: 'cancelled', reason: null }),
    state: 'cancelled',
    reason: 'the attempt was cancelled',
  },
  {
    when: 'an attempt is cancelled while another attempt is pending',
    end: failed(soon, { state: 'cancelled' }),
    pending: true,
    state: 'cancelled',
  },
  {
    when: 'an attempt fails at the deadline and is retried at once, without backoff',
    task: { retry_backoff: 'none' },
    end: failed(deadline),
    state: 'open',
    retryAt: deadline,
  },
  {
    when: 'the second attempt fails, with linear backoff',
    task: { retry_backoff: 'linear', attempts: 2 },
    end: failed(soon),
    state: 'open',
    retryAt: soon + 2 * minute,
  },
  {
    when: 'the third attempt fails, with exponential backoff',
    task: { retry_backoff: 'exponential', attempts: 3, max_attempts: 4 },
    end: failed(soon),
    state: 'open',
    retryAt: soon + 4 * minute,
  },
  {
    when: 'the second attempt fails, with backoff capped by retry_max_delay',
    task: { retry_backoff: 'exponential', attempts: 2, retry_max_delay: 90 },
    end: failed(soon),
    state: 'open',
    retryAt: soon + 90_000,
  },
];

describe('The outcome of a Task', () => {
  for (const row of rows)
    it(`is ${row.state} when ${row.when}`, () => {
      const outcome = taskOutcome({ ...task, ...row.task }, row.end, row.pending ?? false);
      expect(outcome.state).to.equal(row.state);
      expect(outcome.retryAt).to.equal(row.retryAt ?? null);
      if (row.reason !== undefined) expect(outcome.reason).to.equal(row.reason);
      if (row.state !== 'open') expect(outcome.reason).to.be.a('string').and.not.equal('');
    });

  it('has a reason that is cut to the length of its column', () => {
    const end = failed(soon, { state: 'cancelled', reason: 'x'.repeat(5000) });
    expect(taskOutcome(task, end, false).reason).to.have.lengthOf(1000);
  });
});

describe('The success of a repetition', () => {
  it('fulfils a Task late that was not fulfilled, with a reason that fits its column', () => {
    const changes = repetitionChanges({ state: 'failed', reason: 'x'.repeat(1000) }, { reportedBy: 'anna' });
    expect(changes).to.include({ state: 'fulfilled_late' });
    expect(changes?.reason)
      .to.match(/^a repetition succeeded, as anna reported; before, it failed: x+$/)
      .and.to.have.lengthOf(1000);
  });

  it('changes no Task that was fulfilled', () => {
    for (const state of ['fulfilled', 'fulfilled_late'] as const)
      expect(repetitionChanges({ state, reason: 'succeeded in time' }, {})).to.equal(null);
  });
});

describe('The start deadline of a Task', () => {
  const limits = { deadline: 1000, window_end: 2000, allow_late: false, caught_up: false };

  it('is its deadline', () => expect(startDeadline(limits)).to.equal(1000));

  it('is the end of the window with allow_late', () =>
    expect(startDeadline({ ...limits, allow_late: true })).to.equal(2000));

  it('is none for a caught-up Task', () => {
    expect(startDeadline({ ...limits, caught_up: true })).to.equal(null);
    expect(startDeadline({ ...limits, caught_up: true, allow_late: true })).to.equal(null);
  });
});
