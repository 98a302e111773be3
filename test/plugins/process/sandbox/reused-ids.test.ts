import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { eventually } from '../../../support/mocha/eventually.ts';
import { descendantProcesses } from '../../../support/program/processes.ts';
import { sleeping, uniqueSleep } from '../../executor-native/native-run.ts';
import { Server } from '../../executor-native/server-process.ts';

/** Runs the server in a PID namespace, whose first process outlives it. The kernel lets root choose the next id there. */
const inNamespace = `exec unshare --pid --fork --kill-child --mount-proc sh -c '"$@"; sleep 1000' sh "$@";`;

describe('A process that has the id of a job that has ended', () => {
  let server: Server;
  before(function () {
    if (process.getuid?.() !== 0) return this.skip();
    try {
      writeFileSync('/proc/sys/kernel/ns_last_pid', '', { flag: 'r+' });
      execFileSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']);
    } catch {
      this.skip();
    }
  });
  afterEach(() => server.end());

  it('is not killed when the launcher ends', async () => {
    server = new Server({ prelude: inNamespace, sandbox: 'none' });
    server.send({ run: 'true' });
    await eventually('the job has ended', () => server.ended.length > 0);
    const id = server.messages.find(({ started }) => started !== undefined)?.started as number;
    const sleep = uniqueSleep();
    const script = `echo ${id - 1} > /proc/sys/kernel/ns_last_pid; setsid sleep ${sleep} > /dev/null 2>&1 & echo $!`;
    const processes = descendantProcesses(server.process.pid as number);
    const first = processes.find(({ cmdline }) => cmdline.startsWith('sh\0-c')) as { pid: number };
    const words = ['--target', String(first.pid), '--pid', '--mount', 'sh', '-c', script];
    expect(Number(execFileSync('nsenter', words, { encoding: 'utf8' }))).to.equal(id);
    await eventually('it sleeps', () => sleeping(sleep) === 1);
    server.send({ close: true });
    await eventually('the launcher has ended', () => server.isClean);
    expect(sleeping(sleep)).to.equal(1);
  });
});
