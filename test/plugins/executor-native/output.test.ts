import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { attemptOf } from '@horarium/core/contracts';
import type { OutputStream } from '@horarium/core/plugin';
import { expect } from 'chai';
import { FrameKind, FrameReader } from '../../../plugins/process/frames.ts';
import { OutputForwarder } from '../../../plugins/process/launcher/output-forwarder.ts';
import { PipePool } from '../../../plugins/process/launcher/pipe-pool.ts';
import { outputWindow } from '../../../plugins/process/messages.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { NativeRun } from './native-run.ts';

const mebibyte = 1024 * 1024;
const readSize = 64 * 1024;

describe('The output of a native job', () => {
  let native: NativeRun;
  before(() => {
    native = new NativeRun();
  });
  after(() => native.close());

  it('is transferred byte for byte', async () => {
    const bytes = Buffer.alloc(
      700_000,
      Uint8Array.from({ length: 251 }, (_, index) => 255 - index),
    );
    const file = '/proc/self/fd/0';
    const hash = createHash('sha256');
    const running = native.executor.start(
      attemptOf({ executable: 'base64', arguments: ['-d', file], stdin: bytes.toString('base64') }),
      { started() {}, output: (_stream, piece) => void hash.update(piece) },
    );
    expect(await running.done).to.include({ exitCode: 0 });
    expect(hash.digest('hex')).to.equal(createHash('sha256').update(bytes).digest('hex'));
  });

  it('is cut at its limit and marked as cut, and 100 MB of it use little memory', async () => {
    // A first run warms up this process and the launcher before their memory is measured.
    const flood = { executable: 'head', arguments: ['-c', '100000000', '/dev/zero'] };
    const take = async (_stream: OutputStream, piece: Uint8Array) => {
      await new Promise(setImmediate);
      bytes += piece.length;
      maxSize = Math.max(maxSize, process.memoryUsage.rss());
      last = Buffer.from(piece).subarray(-50).toString();
    };
    let [bytes, maxSize, last] = [0, 0, ''];
    await native.executor.start(attemptOf(flood), { started() {}, output: take }).done;
    const [before, launcherBefore] = [process.memoryUsage.rss(), residentSize(native.launcher)];
    [bytes, maxSize] = [0, 0];
    expect(await native.executor.start(attemptOf(flood), { started() {}, output: take }).done).to.include({
      exitCode: 0,
    });
    const marker = '\n[horarium: output cut after 10 MiB]\n';
    expect(bytes).to.equal(10 * mebibyte + marker.length);
    expect(last.endsWith(marker)).to.equal(true);
    expect(maxSize - before).to.be.below(50 * mebibyte);
    expect(residentSize(native.launcher) - launcherBefore).to.be.below(50 * mebibyte);
  });

  it('is limited for both streams together, with the marker on a line of its own', async () => {
    const small = new NativeRun({ max_output: 10 });
    const go = `${small.folder}/go`;
    const script = `echo 12345; echo 678 >&2; until [ -e '${go}' ]; do sleep 0.01; done; echo 901; echo 234; exit 5`;
    const { output, done } = small.start({ executable: 'sh', arguments: ['-c', script] });
    await eventually('both streams were read', () => output.stdout !== '' && output.stderr !== '');
    writeFileSync(go, '');
    const { stdout, stderr, exitCode } = await done;
    expect({ stdout, stderr, exitCode }).to.deep.equal({
      stdout: '12345\n[horarium: output cut after 10 bytes]\n',
      stderr: '678\n',
      exitCode: 5,
    });
    const exact = await small.sh('printf 1234567890');
    expect(exact.stdout).to.equal('1234567890');
    const over = await small.sh('printf 12345678901');
    expect(over.stdout).to.equal('1234567890\n[horarium: output cut after 10 bytes]\n');
    await small.close();
  });

  it('is not delayed by other jobs whose output the server does not store', async () => {
    const blocked = Promise.withResolvers<void>();
    const flooding = Array.from({ length: 5 }, () =>
      native.executor.start(attemptOf({ executable: 'head', arguments: ['-c', '3000000', '/dev/zero'] }), {
        started() {},
        output: () => blocked.promise,
      }),
    );
    expect(await native.sh('echo through')).to.include({ stdout: 'through\n', exitCode: 0 });
    blocked.resolve();
    for (const { done } of flooding) expect(await done).to.include({ exitCode: 0 });
  });
});

describe('OutputForwarder', () => {
  const total = 5_000_000;
  const program = ['head', ['-c', String(total), '/dev/zero']] as const;
  const folder = mkdtempSync(`${tmpdir()}/horarium-test-`);
  after(() => rmSync(folder, { recursive: true }));

  /** Credits output until all was read. @param readAhead the maximum bytes that are read beyond the window. */
  async function readAll(source: number | Socket, readAhead: number): Promise<number> {
    const reader = new FrameReader();
    let [sent, waiting] = [0, 0];
    const output = new OutputForwarder(7, { maxOutput: 2 * total, outputCut: 'cut' }, (bytes) => {
      for (const { kind, attempt, payload } of reader.push(bytes)) {
        expect({ kind, attempt }).to.deep.equal({ kind: FrameKind.stdout, attempt: 7 });
        sent += payload.length;
        waiting += payload.length;
      }
    });
    output.attach(FrameKind.stdout, source);
    await eventually('the output is paused', () => output.paused);
    const closed = output.closed(60_000);
    while (sent < total) {
      await eventually('output arrives', () => waiting > 0);
      expect(waiting).to.be.below(outputWindow + readAhead);
      output.credit(waiting);
      waiting = 0;
    }
    expect(await closed).to.equal(true);
    return sent;
  }

  it('reads no more of a pipe than its window until some of it is credited', async () => {
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    const pipes = new PipePool(`${folder}/pipes`, resolve);
    await ready;
    const [stdout, unused] = pipes.take() ?? [];
    if (!stdout || !unused) throw new Error('There are no pipes.');
    spawn(...program, { stdio: ['ignore', stdout.writeEnd, 'inherit'] });
    for (const fd of [stdout.writeEnd, unused.readEnd, unused.writeEnd]) closeSync(fd);
    expect(await readAll(stdout.readEnd, readSize)).to.equal(total);
  });

  it('reads little more of a socket than its window, where there are no pipes', async () => {
    const child = spawn(...program, { stdio: ['ignore', 'pipe', 'inherit'] });
    // Node itself reads ahead a little.
    expect(await readAll(child.stdout as unknown as Socket, 4 * readSize)).to.equal(total);
  });
});

function residentSize(pid: number): number {
  return Number(/^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}
