import type { Attempt, AttemptReport, AttemptResult, Executor } from '@horarium/core';
import { mask } from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import { expect } from 'chai';
import sinon from 'sinon';
import { DailyQuota } from '#core/quota/daily-quota';
import { noDailyLimits } from '#core/quota/daily-usage';
import { Automaton } from '#core/redaction/automaton';
import { Redactor } from '#core/redaction/redactor';
import { sliceSize } from '#core/redaction/stream';
import { LiveAttempt } from '#core/worker/live-attempt';
import type { Claim } from '#core/worker/overlap';
import type { PreparedAttempt } from '#core/worker/prepare-attempts';
import { inSingleSteps } from '../../support/clocks/single-steps.ts';

const secret = 'horse battery staple';

/** Starts an attempt that was given the secret. @returns it, and what its executor reports with. */
function startAttempt() {
  const claim = { job: { id: 1, company_id: 1 } } as Claim;
  const prepared = { claim, attempt: {} as Attempt, redactor: new Redactor([secret]) } as PreparedAttempt;
  const { promise: done, resolve: end } = Promise.withResolvers<AttemptResult>();
  let report!: AttemptReport;
  const executor: Executor = {
    name: 'native',
    options: {},
    start: (_attempt, given) => {
      report = given;
      return { done, stop: () => {} };
    },
  };
  const attempt = new LiveAttempt(prepared, new StandingClock(), new DailyQuota(noDailyLimits));
  let wakes = 0;
  attempt.start(executor, () => void wakes++);
  return { attempt, report, end, wakes: () => wakes };
}

/** Takes what is buffered, as a runner that stores it. */
function taken(attempt: LiveAttempt): string {
  const peeked = attempt.output.peek();
  attempt.output.written(peeked);
  return peeked.chunks.map(({ data }) => Buffer.from(data).toString()).join('');
}

describe('LiveAttempt', () => {
  it('redacts a large piece of output slice by slice, and lets other work be done and output be stored between them', async () => {
    const { attempt, report, wakes } = startAttempt();
    const text = `${'x'.repeat(4 * sliceSize)}${secret}`;
    let stored = '';
    const takePart = () => {
      const part = taken(attempt);
      expect(part.length).to.be.at.most(sliceSize);
      stored += part;
    };
    await inSingleSteps(async () => report.output('stdout', Buffer.from(text)), takePart);
    takePart();
    expect(stored).to.equal('x'.repeat(4 * sliceSize) + mask);
    expect(wakes()).to.equal(5);
  });

  it('ends when all of its output is redacted, also where its executor did not wait for that', async () => {
    const { attempt, report, end } = startAttempt();
    void report.output('stdout', Buffer.from(`${'x'.repeat(sliceSize)}horse `));
    void report.output('stdout', Buffer.from('battery staple, and hor'));
    const reason = `no ${secret}`;
    end({ exitCode: 1, signal: null, timedOut: false, reason, finishedAt: 0, files: [] });
    while (!attempt.result) await new Promise((resolve) => setImmediate(resolve));
    expect(attempt.result.reason).to.equal(`no ${mask}`);
    expect(taken(attempt)).to.equal(`${'x'.repeat(sliceSize)}${mask}, and hor`);
  });

  it('masks its secrets in the message of its progress, which stays within its length', async () => {
    const { attempt, report } = startAttempt();
    report.progress?.({ progress: 40, message: `knows ${secret}` });
    const latest = attempt.progress?.latest;
    expect(latest && (await attempt.redacted(latest))).to.deep.equal({ progress: 40, message: `knows ${mask}` });
    const long = `${'x'.repeat(1000 - secret.length)}${secret}`;
    expect((await attempt.redacted({ progress: null, message: long })).message).to.have.length.at.most(1000);
  });

  it('shows no beginning of a secret where its executor drops the rest of its output', async () => {
    const { attempt, report, end } = startAttempt();
    void report.output('stderr', Buffer.from('err: horse'));
    void report.output('stdout', Buffer.from('out: horse batt'));
    void report.output('stdout', Buffer.from('\n[cut]\n'), true);
    void report.output('stderr', Buffer.from('\n[note]\n'));
    end({ exitCode: 0, signal: null, timedOut: false, reason: null, finishedAt: 0, files: [] });
    while (!attempt.result) await new Promise((resolve) => setImmediate(resolve));
    expect(taken(attempt)).to.equal(`err: out: ${mask}${mask}\n[cut]\n\n[note]\n`);
  });

  it('builds nothing to redact with while nothing is said', async () => {
    const build = sinon.spy(Automaton, 'build');
    const { attempt, report, end } = startAttempt();
    void report.output('stdout', new Uint8Array());
    end({ exitCode: 0, signal: null, timedOut: false, reason: null, finishedAt: 0, files: [] });
    while (!attempt.result) await new Promise((resolve) => setImmediate(resolve));
    build.restore();
    expect(build.callCount).to.equal(0);
  });

  it('redacts the names of files', async () => {
    const { attempt, end } = startAttempt();
    const file = { contentType: 'text/plain', sha256: '', content: new Uint8Array() };
    const files = [{ ...file, filename: `out/${secret}.txt` }];
    end({ exitCode: 0, signal: null, timedOut: false, reason: null, finishedAt: 0, files });
    while (!attempt.result) await new Promise((resolve) => setImmediate(resolve));
    expect(attempt.result.files.map(({ filename }) => filename)).to.deep.equal([`out/${mask}.txt`]);
  });
});
