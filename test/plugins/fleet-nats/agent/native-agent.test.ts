import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { nodeClock } from '@horarium/core/node';
import { expect } from 'chai';
import type { NativeExecutor } from '../../../../plugins/executor-native/native-executor.ts';
import type { NativeOptions } from '../../../../plugins/executor-native/settings.ts';
import { AgentRuntime } from '../../../../plugins/fleet-nats/agent/agent-runtime.ts';
import { nativeExecutor } from '../../../support/executors/native-executor.ts';
import { eventually } from '../../../support/mocha/eventually.ts';
import { temporaryFolder } from '../../../support/mocha/temporary-folder.ts';
import { endSleeping, sleeping, uniqueSleep } from '../../executor-native/native-run.ts';
import { recordedEvents } from './agent-world.ts';
import { MemoryHosts } from './memory-hosts.ts';

const mebibyte = 1024 * 1024;

/** An agent that runs native jobs. */
class NativeAgent {
  readonly hosts = new MemoryHosts(nodeClock);
  readonly folder = mkdtempSync(`${tmpdir()}/horarium-agent-`);
  readonly executor: NativeExecutor;
  readonly log: string[] = [];
  readonly #agent: AgentRuntime;

  constructor(options: Partial<NativeOptions> = {}) {
    this.executor = nativeExecutor({ folder: this.folder, grace: 1, ...options });
    this.#agent = new AgentRuntime({
      link: this.hosts.link,
      executors: new Map([['native', this.executor]]),
      clock: nodeClock,
      slots: 4,
      labels: {},
      version: '1.0.0',
      events: recordedEvents(this.log),
    });
    this.#agent.start();
  }

  /** Queues a shell script. @returns its job. */
  sh(script: string, more: Parameters<MemoryHosts['add']>[0] = {}): number {
    const job = this.hosts.add({ executable: 'sh', arguments: ['-c', script], ...more });
    this.hosts.tellOfWork();
    return job;
  }

  end(job: number) {
    return eventually(`the end of job ${job}`, () => this.hosts.endOf(job));
  }

  async close(): Promise<void> {
    await this.#agent.close();
    await this.executor.close();
    this.hosts.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

describe('An agent with native jobs', () => {
  let agent: NativeAgent;
  afterEach(async () => {
    await agent.close();
    endSleeping();
  });

  it('reports their output, exit codes and artifacts', async () => {
    agent = new NativeAgent();
    const script = 'echo out; echo err >&2; head -c 300000 /dev/zero > big.bin; echo "{}" > result.json; exit 3';
    const job = agent.sh(script, { resultFile: 'result.json', artifacts: [{ name: 'big', path: 'big' }] });
    expect(await agent.end(job)).to.include({ exitCode: 3, lost: false, stopReason: null });
    expect([agent.hosts.outputOf(job), agent.hosts.outputOf(job, 'stderr')]).to.deep.equal(['out\n', 'err\n']);
    const files = agent.hosts.filesOf(job).map(({ filename, content }) => [filename, content.length]);
    expect(files).to.have.deep.members([
      ['big.bin', 300_000],
      ['result.json', 3],
    ]);
  });

  it('hands them their input files, piece by piece', async () => {
    agent = new NativeAgent();
    const content = randomBytes(300_000);
    agent.hosts.files.set('@file:7/dump.sql', content);
    const files = [{ mark: '@file:7/dump.sql', size: content.length }];
    const job = agent.hosts.add({ executable: 'sha256sum', arguments: ['@file:7/dump.sql'], files });
    agent.hosts.tellOfWork();
    expect(await agent.end(job)).to.include({ exitCode: 0 });
    expect(agent.hosts.outputOf(job)).to.match(new RegExp(`^${createHash('sha256').update(content).digest('hex')} `));
    const offsets = agent.hosts.asks.flatMap((ask) => (ask.kind === 'file' ? [ask.offset] : []));
    expect(offsets).to.deep.equal([0, 131_072, 262_144]);
  });

  it('ends one whose file is not stored any more, or has another size, with a reason', async () => {
    agent = new NativeAgent();
    agent.hosts.files.set('@file:8/b', Buffer.from('four'));
    const jobs = ['@file:7/a', '@file:8/b'].map((mark) => agent.sh('true', { files: [{ mark, size: 5 }] }));
    const reasons = [];
    for (const job of jobs) reasons.push((await agent.end(job)).reason);
    expect(reasons).to.deep.equal([
      'The files that it is given could not be written: @file:7/a is not stored any more',
      'The files that it is given could not be written: the host sent 4 bytes of @file:8/b, which has 5',
    ]);
  });

  it('stops one that waits for its files while the hosts are away', async () => {
    agent = new NativeAgent();
    const { ask } = agent.hosts.link;
    let waits = false;
    Object.assign(agent.hosts.link, {
      ask: (...sent: Parameters<typeof ask>) => {
        if (sent[0].kind === 'claim') return ask(...sent);
        waits = true;
        return new Promise(() => {});
      },
    });
    const job = agent.sh('true', { files: [{ mark: '@file:7/a', size: 5 }] });
    await eventually('it asks for the file', () => waits);
    agent.hosts.stop(job, 'cancelled by anna');
    expect(await agent.end(job)).to.include({ stopReason: 'cancelled by anna', exitCode: 126 });
  });

  it('stops them when a host says so, with all their processes', async () => {
    agent = new NativeAgent();
    const sleep = uniqueSleep();
    const job = agent.sh(`sleep ${sleep} & sleep ${sleep}`);
    await eventually('it runs', () => sleeping(sleep) === 2);
    agent.hosts.stop(job, 'cancelled by anna');
    expect(await agent.end(job)).to.include({ signal: 'SIGTERM', lost: false, stopReason: 'cancelled by anna' });
    expect(sleeping(sleep)).to.equal(0);
  });

  it('ends them at their timeout', async () => {
    agent = new NativeAgent();
    const job = agent.sh(`sleep ${uniqueSleep()}`, { timeout: 500 });
    expect(await agent.end(job)).to.include({ timedOut: true, lost: false, stopReason: null });
  });

  it('kills them with all their processes when its lease ends, also those that ignore SIGTERM', async () => {
    agent = new NativeAgent({ grace: 1000 });
    agent.hosts.lease = 3000;
    const sleep = uniqueSleep();
    const job = agent.sh(`trap '' TERM; setsid sleep ${sleep} & sleep ${sleep}`);
    await eventually('it runs', () => sleeping(sleep) === 2);
    agent.hosts.isCut = true;
    await eventually('its processes are gone', () => sleeping(sleep) === 0);
    expect(agent.hosts.endOf(job)).to.equal(undefined);
    agent.hosts.isCut = false;
    expect(await agent.end(job)).to.include({ signal: 'SIGKILL', lost: true });
    const next = agent.sh('echo next');
    expect(await agent.end(next)).to.include({ exitCode: 0 });
  });

  it('kills them at once when it is revoked', async () => {
    agent = new NativeAgent({ grace: 1000 });
    const sleep = uniqueSleep();
    agent.sh(`trap '' TERM; sleep ${sleep}`);
    await eventually('it runs', () => sleeping(sleep) === 1);
    agent.hosts.order({ kind: 'revoked', reason: 'its machine was sold' });
    await eventually('its processes are gone', () => sleeping(sleep) === 0);
  });

  it('passes 64 MiB of output whole and in order, and reads it no faster than it is stored', async () => {
    const size = 64 * mebibyte;
    agent = new NativeAgent({ max_output: 2 * size });
    const folder = temporaryFolder('output');
    const written = join(folder, 'written');
    const hash = createHash('sha256');
    let [length, rest, ahead] = [0, 0, 0];
    const { report } = agent.hosts.link;
    Object.assign(agent.hosts.link, {
      report: async (...sent: Parameters<typeof report>) => {
        const [{ event }] = sent;
        if (event.kind !== 'output') return report(...sent);
        hash.update(event.bytes);
        await pause(1);
        ahead = Math.max(ahead, statSync(written).size * 65_536 - length);
        length += event.bytes.length;
        rest = Math.max(rest, event.bytes.length);
      },
    });
    // Adds a byte for each 64 KiB that the pipe has taken.
    const program = `const fs = require('fs'), piece = Buffer.from('0123456789abcde\\n'.repeat(4096));
      for (let n = 0; n < ${size / 65_536}; n += 1) {
        for (let at = 0; at < piece.length; ) at += fs.writeSync(1, piece, at);
        fs.appendFileSync('${written}', '.');
      }`;
    writeFileSync(join(folder, 'write.js'), program);
    writeFileSync(written, '');
    const job = agent.sh(`${process.execPath} ${join(folder, 'write.js')}`);
    expect(await agent.end(job)).to.include({ exitCode: 0, reason: null });
    const expected = createHash('sha256')
      .update('0123456789abcde\n'.repeat(size / 16))
      .digest('hex');
    expect([length, hash.digest('hex')]).to.deep.equal([size, expected]);
    expect(rest).to.be.at.most(128 * 1024);
    expect(ahead).to.be.below(4 * mebibyte);
  });
});
