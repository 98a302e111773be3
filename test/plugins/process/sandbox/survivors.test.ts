import { type ChildProcess, spawn } from 'node:child_process';
import { expect } from 'chai';
import {
  invocationVariable,
  type ProcessEntry,
  ProcessTable,
  processOf,
} from '../../../../plugins/process/sandbox/process-table.ts';
import { Survivors } from '../../../../plugins/process/sandbox/survivors.ts';
import { eventually } from '../../../support/mocha/eventually.ts';

/** A process that is ending, by an id that no process can have. */
const ending: ProcessEntry = {
  pid: 2 ** 30,
  parent: 1,
  group: 2 ** 30,
  session: 2 ** 30,
  beginning: 7,
  exiting: true,
};

describe('The survivors of a launcher', () => {
  let child: ChildProcess;
  const entry = () => processOf(child.pid as number);
  const start = (environment: NodeJS.ProcessEnv) => {
    child = spawn('sleep', ['1000'], { detached: true, env: environment });
    return entry() as ProcessEntry;
  };
  afterEach(() => child.kill('SIGKILL'));

  it('are killed by the mark in their environment', async () => {
    start({ [invocationVariable]: 'mine.7' });
    await eventually('it is marked', () => new ProcessTable().invocationOf(entry() as ProcessEntry) === 'mine.7');
    expect(new Survivors('another').kill(new ProcessTable([entry() as ProcessEntry]))).to.equal(0);
    expect(new Survivors('mine').kill(new ProcessTable([entry() as ProcessEntry]))).to.equal(1);
    await eventually('it is gone', () => entry() === null);
  });

  it('do not include the child, or another in the session, of a process of the machine that happens to be ending', () => {
    const other = start({});
    const survivors = new Survivors('mine');
    const isChild = { ...other, parent: ending.pid };
    const isInSession = { ...other, session: ending.session };
    for (const each of [isChild, isInSession])
      expect(survivors.kill(new ProcessTable([ending, each])), 'only the ending one is waited for').to.equal(1);
    expect(survivors.kill(new ProcessTable([isChild]))).to.equal(0);
    expect(child.signalCode ?? entry()?.exiting).to.equal(false);
  });

  it('do not include a later session that has the id of one whose processes are all gone', async () => {
    const marked = start({ [invocationVariable]: 'mine.7' });
    await eventually('it is marked', () => new ProcessTable().invocationOf(marked) === 'mine.7');
    const survivors = new Survivors('mine');
    expect(survivors.kill(new ProcessTable([marked]))).to.equal(1);
    await eventually('it is gone', () => entry() === null);
    expect(survivors.kill(new ProcessTable([]))).to.equal(0);
    const later = { ...start({}), session: marked.session };
    expect(survivors.kill(new ProcessTable([later]))).to.equal(0);
    expect(child.signalCode ?? entry()?.exiting).to.equal(false);
  });

  it('are not waited for where they begin to end after the first look', () => {
    const survivors = new Survivors('mine');
    expect(survivors.kill(new ProcessTable([start({})]))).to.equal(0);
    expect(survivors.kill(new ProcessTable([ending]))).to.equal(0);
  });
});
