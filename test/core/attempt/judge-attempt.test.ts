import type { Outcome } from '@horarium/core';
import { expect } from 'chai';
import { judgeAttempt } from '#core/attempt/judge-attempt';

const outcome = (over: Partial<Outcome>): Outcome => ({
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

describe('How an attempt ended', () => {
  for (const [exitCode, state, final] of rows)
    it(`with exit code ${exitCode} is ${state}${final ? ' for good' : ''}`, () => {
      expect(judgeAttempt(outcome({ exitCode }), declared, null)).to.include({ state, final });
    });

  it('with exit code 0 is a success, whatever the app declares', () => {
    expect(judgeAttempt(outcome({ exitCode: 0 }), { '0': { severity: 'error' } }, null).state).to.equal('succeeded');
  });

  it('cut off by no fault of its own is lost, and tried again', () => {
    const cut = outcome({ exitCode: 3, lost: true, reason: "The worker's lease ran out." });
    const lost = { state: 'lost', reason: "The worker's lease ran out.", final: false };
    expect(judgeAttempt(cut, declared, null)).to.deep.equal(lost);
    expect(judgeAttempt({ ...cut, timedOut: true }, declared, { state: 'cancelled', reason: 'no' }).state).to.equal(
      'cancelled',
    );
  });

  it('by the clock is timed out, whatever the exit code', () => {
    expect(judgeAttempt(outcome({ exitCode: 0, timedOut: true }), declared, null)).to.deep.equal({
      state: 'timed_out',
      reason: 'it took too long',
      final: false,
    });
  });

  it('by a signal is a failure that names it', () => {
    expect(judgeAttempt(outcome({ signal: 'SIGSEGV' }), declared, null)).to.deep.equal({
      state: 'failed',
      reason: 'ended by SIGSEGV',
      final: false,
    });
  });

  it('without an exit code is a failure that says so', () => {
    expect(judgeAttempt(outcome({}), declared, null).reason).to.equal('it ended without an exit code');
  });

  it('keeps the reason that the executor gives', () => {
    expect(judgeAttempt(outcome({ exitCode: 127, reason: 'work was not found' }), declared, null).reason).to.equal(
      'work was not found',
    );
  });

  for (const state of ['cancelled', 'lost'] as const)
    it(`after it was told to stop is ${state}, whatever it answered`, () => {
      for (const end of [{ exitCode: 0 }, { exitCode: 3 }, { signal: 'SIGTERM' }, { timedOut: true }])
        expect(judgeAttempt(outcome(end), declared, { state, reason: 'because' })).to.deep.equal({
          state,
          reason: 'because',
          final: false,
        });
    });
});
