import { expect } from 'chai';
import { eventually } from '../../support/mocha/eventually.ts';
import { NativeRun, sleeping, uniqueSleep } from './native-run.ts';

describe('The end of a native job', () => {
  let native: NativeRun;
  before(() => {
    native = new NativeRun({ grace: 0.2 });
  });
  after(() => native.close());

  it('is reported with the signal that killed it', async () => {
    expect(await native.sh('kill -SEGV $$')).to.include({ exitCode: null, signal: 'SIGSEGV', reason: null });
  });

  it('kills processes that the job left running, and is not delayed by their open output', async () => {
    const sleep = uniqueSleep();
    const outcome = await native.sh(`(sleep ${sleep} & sleep ${sleep} &) ; sleep ${sleep} & echo done; exit 4`);
    expect(outcome).to.include({ exitCode: 4, stdout: 'done\n', reason: null });
    expect(sleeping(sleep)).to.equal(0);
  });

  it('kills processes that moved to another group of the session, within a second', async () => {
    const sleep = uniqueSleep();
    // "timeout" leads a group of its own.
    expect(await native.sh(`timeout 1000 sleep ${sleep} & sleep 0.05; exit 0`)).to.include({ exitCode: 0 });
    expect(sleeping(sleep)).to.equal(0);
    expect(await native.sh(`timeout 1000 sleep ${sleep} > /dev/null 2>&1 & sleep 0.05; exit 0`)).to.include({
      exitCode: 0,
    });
    await eventually('nothing of the session is left', () => sleeping(sleep) === 0);
  });

  it('reports the exit code of a program that ends within the grace after a timeout', async () => {
    const polite = new NativeRun({ grace: 60 });
    const outcome = await polite.shUntilTimeout('trap "echo bye; exit 9" TERM; echo ready; sleep 1000 & wait');
    expect(outcome).to.include({ exitCode: 9, signal: null, timedOut: true, stdout: 'bye\n' });
    expect(outcome.reason).to.match(/timeout of \d+(\.5)? s/);
    await polite.close();
  });

  it('kills the whole session when SIGTERM is ignored', async () => {
    const sleep = uniqueSleep();
    const script = `trap '' TERM; (sleep ${sleep}; sleep ${sleep}) & echo ready; while :; do sleep ${sleep}; done`;
    const outcome = await native.shUntilTimeout(script);
    expect(outcome).to.include({ exitCode: null, signal: 'SIGKILL', timedOut: true });
    expect(sleeping(sleep)).to.equal(0);
  });

  it('waits for children of a shell that clean up within the grace', async () => {
    const script =
      'sh -c \'trap "sleep 0.1; echo tidied; exit" TERM; echo ready; while :; do sleep 0.01; done\' & wait';
    const polite = new NativeRun({ grace: 60 });
    const outcome = await polite.shUntilTimeout(script);
    expect(outcome).to.include({ signal: 'SIGTERM', timedOut: true, stdout: 'tidied\n' });
    await polite.close();
  });

  it('waits as long as the grace of the template says', async () => {
    const polite = new NativeRun({ grace: 60 });
    const script = "trap '' TERM; echo ready; while :; do sleep 0.01; done";
    const outcome = await polite.shUntilTimeout(script, { options: { grace: 0 } });
    expect(outcome).to.include({ signal: 'SIGKILL', timedOut: true });
    await polite.close();
  });

  it('signals other groups of its session when it is stopped', async () => {
    const sleep = uniqueSleep();
    const { running, done } = native.start({
      executable: 'sh',
      arguments: ['-c', `timeout 1000 sleep ${sleep} > /dev/null 2>&1 & sleep ${sleep}`],
    });
    await eventually('both sleep', () => sleeping(sleep) === 2);
    running.stop('Cancelled by ada.');
    expect(await done).to.include({ reason: 'Cancelled by ada.', timedOut: false });
    expect(sleeping(sleep)).to.equal(0);
  });

  it('kills all processes when the executor is closed, even those that ignore SIGTERM', async () => {
    const sleep = uniqueSleep();
    const closing = new NativeRun();
    const jobs = Array.from({ length: 10 }, () =>
      closing.start({ executable: 'sh', arguments: ['-c', `trap '' TERM; sleep ${sleep} & sleep ${sleep}`] }),
    );
    await eventually('all sleep', () => sleeping(sleep) === 20);
    await closing.close();
    expect(sleeping(sleep)).to.equal(0);
    for (const { done } of jobs)
      expect(await done).to.include({ signal: 'SIGKILL', reason: 'The worker was shut down.' });
  });

  it('ends a thousand jobs at once', async () => {
    const outcomes = await Promise.all(Array.from({ length: 1000 }, (_, index) => native.sh(`exit ${index % 100}`)));
    expect(outcomes.map(({ exitCode }) => exitCode)).to.deep.equal(outcomes.map((_, index) => index % 100));
  });
});
