import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import {
  childrenOf,
  invocationVariable,
  type ProcessEntry,
  ProcessGroup,
  ProcessTable,
  processOf,
} from '../../../../plugins/process/sandbox/process-table.ts';
import { eventually } from '../../../support/mocha/eventually.ts';

describe('The process table', () => {
  it('has every process of the machine that lives on', () => {
    const listed = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    const before = listed();
    const found = new Set(new ProcessTable().entries.map(({ pid }) => pid));
    const after = new Set(listed());
    const missing = before.filter((name) => after.has(name) && !found.has(Number(name)) && processOf(Number(name)));
    expect(missing).to.deep.equal([]);
  });

  it('tells the session, the children and the invocation of a process', async () => {
    const child = spawn('sleep', ['1000'], { detached: true, env: { [invocationVariable]: 'launcher.7' } });
    const pid = child.pid as number;
    const entry = () => new ProcessTable().entries.find((each) => each.pid === pid);
    expect(entry()).to.include({ parent: process.pid, group: pid, session: pid, exiting: false });
    const table = new ProcessTable();
    expect(table.entries.map((each) => table.invocationOf(each))).to.include('launcher.7');
    expect(
      table.withDescendants(table.entries.filter((each) => each.pid === process.pid)).map((each) => each.pid),
    ).to.include(pid);
    child.kill('SIGKILL');
    await eventually('it is gone', () => entry() === undefined);
  });

  it('has a process group until a later process has its id', async () => {
    const child = spawn('sleep', ['1000'], { detached: true });
    const pid = child.pid as number;
    const leader = processOf(pid) as ProcessEntry;
    const earlier = { beginning: leader.beginning - 1 };
    for (const group of [new ProcessGroup(pid, earlier), new ProcessGroup(pid, null)]) {
      expect(group.isCurrent).to.equal(false);
      expect(group.signal('SIGKILL')).to.equal(false);
    }
    const [group, ended] = [new ProcessGroup(pid), new Promise((resolve) => child.once('exit', resolve))];
    expect(processOf(pid)).to.include({ beginning: leader.beginning, exiting: false });
    expect(group.signal('SIGKILL')).to.equal(true);
    await ended;
    expect(group.signal('SIGKILL')).to.equal(false);
  });

  it('names the children of a process', async () => {
    const shell = spawn('sh', ['-c', 'sleep 1000 & sleep 1001 & wait'], { detached: true });
    const pid = shell.pid as number;
    await eventually('it has both', () => childrenOf(pid).length === 2);
    process.kill(-pid, 'SIGKILL');
  });
});
