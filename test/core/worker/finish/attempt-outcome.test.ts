import type { AttemptResult } from '@horarium/core';
import { expect } from 'chai';
import { attemptOutcome } from '#core/worker/finish/attempt-outcome';

const result = (fields: Partial<AttemptResult>): AttemptResult => ({
  exitCode: null,
  signal: null,
  timedOut: false,
  reason: null,
  finishedAt: 0,
  files: [],
  ...fields,
});
const exitCodes = {
  '0': { severity: 'success' },
  '2': { severity: 'warning' },
  '3': { severity: 'error', retry: false },
  '4': { severity: 'info' },
  '5': { severity: 'success', retry: false },
  '6': {},
  '7': { retry: false },
  '8': { severity: 'critical', retry: true },
} as const;

type Row = readonly [exitCode: number, state: string, final: boolean];
const rows: readonly Row[] = [
  [0, 'succeeded', false],
  [1, 'failed', false],
  [2, 'failed', false],
  [3, 'failed', true],
  [4, 'succeeded', false],
  [5, 'succeeded', false],
  [6, 'failed', false],
  [7, 'failed', true],
  [8, 'failed', false],
  [127, 'failed', false],
];

describe('attemptOutcome', () => {
  for (const [exitCode, state, final] of rows)
    it(`maps exit code ${exitCode} to ${state}${final ? ', which is not retried' : ''}`, () => {
      expect(attemptOutcome(result({ exitCode }), exitCodes, null)).to.include({ state, final });
    });

  it('maps exit code 0 to succeeded, whatever the app declares', () => {
    expect(attemptOutcome(result({ exitCode: 0 }), { '0': { severity: 'error' } }, null).state).to.equal('succeeded');
  });

  it('maps an attempt that lost its lease to lost, unless it was being cancelled', () => {
    const interrupted = result({ exitCode: 3, lost: true, reason: "The worker's lease ran out." });
    const expected = { state: 'lost', reason: "The worker's lease ran out.", final: false };
    expect(attemptOutcome(interrupted, exitCodes, null)).to.deep.equal(expected);
    expect(
      attemptOutcome({ ...interrupted, timedOut: true }, exitCodes, { state: 'cancelled', reason: 'no' }).state,
    ).to.equal('cancelled');
  });

  it('maps a timeout to timed_out, whatever the exit code', () => {
    expect(attemptOutcome(result({ exitCode: 0, timedOut: true }), exitCodes, null)).to.deep.equal({
      state: 'timed_out',
      reason: 'it took too long',
      final: false,
    });
  });

  it('maps a signal to failed, with a reason that names the signal', () => {
    expect(attemptOutcome(result({ signal: 'SIGSEGV' }), exitCodes, null)).to.deep.equal({
      state: 'failed',
      reason: 'ended by SIGSEGV',
      final: false,
    });
  });

  it('gives the reason for a failure without an exit code', () => {
    expect(attemptOutcome(result({}), exitCodes, null).reason).to.equal('it ended without an exit code');
  });

  it('passes on the reason that the executor reported', () => {
    expect(attemptOutcome(result({ exitCode: 127, reason: 'work was not found' }), exitCodes, null).reason).to.equal(
      'work was not found',
    );
  });

  for (const state of ['cancelled', 'lost'] as const)
    it(`maps a stopped attempt to ${state} if it was stopped for that, whatever its result`, () => {
      for (const stopped of [{ exitCode: 0 }, { exitCode: 3 }, { signal: 'SIGTERM' }, { timedOut: true }])
        expect(attemptOutcome(result(stopped), exitCodes, { state, reason: 'because' })).to.deep.equal({
          state,
          reason: 'because',
          final: false,
        });
    });
});
