import type { AttemptResult } from '@horarium/core';
import { expect } from 'chai';
import { attemptOutcome } from '#core/attempt/attempt-outcome';

const result = (over: Partial<AttemptResult>): AttemptResult => ({
  exitCode: null,
  signal: null,
  timedOut: false,
  reason: null,
  finishedAt: 0,
  files: [],
  ...over,
});
const declared = {
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
    it(`takes exit code ${exitCode} for ${state}${final ? ', without a retry' : ''}`, () => {
      expect(attemptOutcome(result({ exitCode }), declared, null)).to.include({ state, final });
    });

  it('takes exit code 0 for a success whatever the app declares', () => {
    expect(attemptOutcome(result({ exitCode: 0 }), { '0': { severity: 'error' } }, null).state).to.equal('succeeded');
  });

  it('takes an attempt that was cut off for lost, so that it is retried', () => {
    const cut = result({ exitCode: 3, lost: true, reason: "The worker's lease ran out." });
    const lost = { state: 'lost', reason: "The worker's lease ran out.", final: false };
    expect(attemptOutcome(cut, declared, null)).to.deep.equal(lost);
    expect(attemptOutcome({ ...cut, timedOut: true }, declared, { state: 'cancelled', reason: 'no' }).state).to.equal(
      'cancelled',
    );
  });

  it('takes a timeout for timed out, whatever the exit code', () => {
    expect(attemptOutcome(result({ exitCode: 0, timedOut: true }), declared, null)).to.deep.equal({
      state: 'timed_out',
      reason: 'it took too long',
      final: false,
    });
  });

  it('takes a signal for a failure and names it', () => {
    expect(attemptOutcome(result({ signal: 'SIGSEGV' }), declared, null)).to.deep.equal({
      state: 'failed',
      reason: 'ended by SIGSEGV',
      final: false,
    });
  });

  it('takes a missing exit code for a failure and says so', () => {
    expect(attemptOutcome(result({}), declared, null).reason).to.equal('it ended without an exit code');
  });

  it('keeps the reason that the executor reported', () => {
    expect(attemptOutcome(result({ exitCode: 127, reason: 'work was not found' }), declared, null).reason).to.equal(
      'work was not found',
    );
  });

  for (const state of ['cancelled', 'lost'] as const)
    it(`takes an attempt that was asked to stop for ${state}, whatever its result`, () => {
      for (const ended of [{ exitCode: 0 }, { exitCode: 3 }, { signal: 'SIGTERM' }, { timedOut: true }])
        expect(attemptOutcome(result(ended), declared, { state, reason: 'because' })).to.deep.equal({
          state,
          reason: 'because',
          final: false,
        });
    });
});
