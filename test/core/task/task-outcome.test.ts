import { type AttemptResult, type TaskLimits, taskOutcome } from '@horarium/core';
import { expect } from 'chai';

const start = Date.UTC(2026, 10, 21, 5);
const minute = 60_000;
const deadline = start + 30 * minute;
const windowEnd = start + 60 * minute;

/** A Task of an hour, due by half past, that was tried once of three times and waits a minute before each retry. */
const task: TaskLimits = {
  deadline,
  window_end: windowEnd,
  attempts: 1,
  max_attempts: 3,
  allow_late: false,
  caught_up: false,
  waived: null,
  retry_backoff: 'fixed',
  retry_delay: 60,
  retry_max_delay: 86_400,
};
const soon = start + 5 * minute;
const succeeded = (finishedAt: number): AttemptResult => ({
  state: 'succeeded',
  finishedAt,
  reason: null,
  final: false,
});
const failed = (finishedAt: number, over: Partial<AttemptResult> = {}): AttemptResult => ({
  state: 'failed',
  finishedAt,
  reason: 'exit code 1',
  final: false,
  ...over,
});

interface Row {
  readonly says: string;
  readonly task?: Partial<TaskLimits>;
  readonly end: AttemptResult;
  readonly pending?: boolean;
  readonly state: string;
  readonly retryAt?: number;
  readonly reason?: string | null;
}

const rows: readonly Row[] = [
  { says: 'a success before the deadline', end: succeeded(soon), state: 'fulfilled' },
  { says: 'a success at the deadline', end: succeeded(deadline), state: 'fulfilled' },
  {
    says: 'a success at the deadline where late ones count',
    task: { allow_late: true },
    end: succeeded(deadline),
    state: 'fulfilled',
  },
  {
    says: 'a success a millisecond after the deadline',
    end: succeeded(deadline + 1),
    state: 'failed',
    reason: 'succeeded after the deadline, which does not count',
  },
  {
    says: 'a late success where it counts',
    task: { allow_late: true },
    end: succeeded(deadline + 1),
    state: 'fulfilled_late',
  },
  {
    says: 'a success after the window where late ones count',
    task: { allow_late: true },
    end: succeeded(windowEnd + 1),
    state: 'fulfilled_late',
  },
  {
    says: 'a success after downtime',
    task: { caught_up: true },
    end: succeeded(windowEnd + 99 * minute),
    state: 'fulfilled_late',
  },
  {
    says: 'a success in time of a lifted Task',
    task: { waived: 'deactivated' },
    end: succeeded(soon),
    state: 'fulfilled',
  },
  {
    says: 'a success too late of a lifted Task',
    task: { waived: 'deactivated' },
    end: succeeded(deadline + 1),
    state: 'cancelled',
    reason: 'deactivated',
  },
  { says: 'a failure with attempts left', end: failed(soon), state: 'open', retryAt: soon + minute, reason: null },
  {
    says: 'a time-out with attempts left',
    end: failed(soon, { state: 'timed_out' }),
    state: 'open',
    retryAt: soon + minute,
  },
  {
    says: 'a lost attempt with attempts left',
    end: failed(soon, { state: 'lost' }),
    state: 'open',
    retryAt: soon + minute,
  },
  {
    says: 'a failure of the last attempt',
    task: { attempts: 3 },
    end: failed(soon),
    state: 'failed',
    reason: 'the last attempt failed (exit code 1); all 3 attempts are used up',
  },
  {
    says: 'a failure of the only attempt',
    task: { max_attempts: 1 },
    end: failed(soon, { state: 'timed_out', reason: null }),
    state: 'failed',
    reason: 'the last attempt timed out; there was only one attempt',
  },
  { says: 'a failure of more attempts than there are', task: { attempts: 4 }, end: failed(soon), state: 'failed' },
  {
    says: 'a failure with an exit code that is declared final',
    end: failed(soon, { final: true }),
    state: 'failed',
    reason: 'the last attempt failed (exit code 1), which the app declares final',
  },
  {
    says: 'a final failure while another attempt waits',
    end: failed(soon, { final: true }),
    pending: true,
    state: 'failed',
  },
  { says: 'a retry at the deadline', end: failed(deadline - minute), state: 'open', retryAt: deadline },
  {
    says: 'a retry a millisecond after the deadline',
    end: failed(deadline - minute + 1),
    state: 'failed',
    reason: 'the last attempt failed (exit code 1); a retry would start too late',
  },
  {
    says: 'a retry after the deadline where late ones count',
    task: { allow_late: true },
    end: failed(deadline),
    state: 'open',
    retryAt: deadline + minute,
  },
  {
    says: 'a retry at the window’s end where late ones count',
    task: { allow_late: true },
    end: failed(windowEnd - minute),
    state: 'open',
    retryAt: windowEnd,
  },
  {
    says: 'a retry after the window’s end',
    task: { allow_late: true },
    end: failed(windowEnd - minute + 1),
    state: 'failed',
  },
  {
    says: 'a retry after downtime, whenever that is',
    task: { caught_up: true },
    end: failed(windowEnd + 99 * minute),
    state: 'open',
    retryAt: windowEnd + 100 * minute,
  },
  {
    says: 'the last failure after downtime',
    task: { caught_up: true, attempts: 3 },
    end: failed(soon),
    state: 'failed',
  },
  { says: 'a failure while another attempt waits', end: failed(soon), pending: true, state: 'open' },
  {
    says: 'a failure of the last attempt while one that was asked for waits',
    task: { attempts: 3 },
    end: failed(soon),
    pending: true,
    state: 'open',
  },
  {
    says: 'a failure of a lifted Task',
    task: { waived: 'the template was deactivated' },
    end: failed(soon),
    state: 'cancelled',
    reason: 'the template was deactivated',
  },
  {
    says: 'a lost attempt of a lifted Task',
    task: { waived: 'gone' },
    end: failed(soon, { state: 'lost' }),
    state: 'cancelled',
    reason: 'gone',
  },
  {
    says: 'a cancelled attempt',
    end: failed(soon, { state: 'cancelled', reason: 'cancelled by anna' }),
    state: 'cancelled',
    reason: 'cancelled by anna',
  },
  {
    says: 'a cancelled attempt without a reason',
    end: failed(soon, { state: 'cancelled', reason: null }),
    state: 'cancelled',
    reason: 'the attempt was cancelled',
  },
  {
    says: 'a cancelled attempt while another one waits',
    end: failed(soon, { state: 'cancelled' }),
    pending: true,
    state: 'cancelled',
  },
  { says: 'a retry at once', task: { retry_backoff: 'none' }, end: failed(deadline), state: 'open', retryAt: deadline },
  {
    says: 'a linear wait after the second attempt',
    task: { retry_backoff: 'linear', attempts: 2 },
    end: failed(soon),
    state: 'open',
    retryAt: soon + 2 * minute,
  },
  {
    says: 'a growing wait after the third attempt',
    task: { retry_backoff: 'exponential', attempts: 3, max_attempts: 4 },
    end: failed(soon),
    state: 'open',
    retryAt: soon + 4 * minute,
  },
  {
    says: 'a wait under its cap',
    task: { retry_backoff: 'exponential', attempts: 2, retry_max_delay: 90 },
    end: failed(soon),
    state: 'open',
    retryAt: soon + 90_000,
  },
];

describe('The verdict on a Task', () => {
  for (const row of rows)
    it(`after ${row.says} is ${row.state}`, () => {
      const found = taskOutcome({ ...task, ...row.task }, row.end, row.pending ?? false);
      expect(found.state).to.equal(row.state);
      expect(found.retryAt).to.equal(row.retryAt ?? null);
      if (row.reason !== undefined) expect(found.reason).to.equal(row.reason);
      if (row.state !== 'open') expect(found.reason).to.be.a('string').and.not.equal('');
    });

  it('has a reason that fits into its column', () => {
    const end = failed(soon, { state: 'cancelled', reason: 'x'.repeat(5000) });
    expect(taskOutcome(task, end, false).reason).to.have.lengthOf(1000);
  });
});
