import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { attemptOf } from '@horarium/core/contracts';
import { nativeExecutor } from '../../support/executors/native-executor.ts';
import { livingProcesses } from '../../support/program/processes.ts';

const alone = 300;
const together = 200;
const total = 3000;

/** Figures of one way to run `true`; times in milliseconds. */
interface SpawnFigures {
  readonly aloneP50: number;
  readonly perSecond: number;
  /** How long the call that starts a program blocks the event loop. */
  readonly callP50: number;
  readonly callP99: number;
  /** The maximum delay of the event loop while many programs were started. */
  readonly loopDelayMax: number;
}

type Run = () => { readonly call: number; readonly done: Promise<unknown> };

/**
 * Compares the native executor with a bare loop of `spawn`: both run `true` in turns. It is a program of its own:
 * `node dist/test/bench/harness/spawn.js`.
 */
async function measureSpawning(): Promise<{
  executor: SpawnFigures;
  bare: SpawnFigures;
  launcherMemory: { private: number; proportional: number; resident: number };
}> {
  const folder = mkdtempSync(`${tmpdir()}/horarium-bench-`);
  const native = nativeExecutor({ folder });
  const attempt = attemptOf({ executable: '/bin/true' });
  const report = { started() {}, output() {} };
  const viaExecutor: Run = () => timed(() => native.start(attempt, report).done);
  const viaSpawn: Run = () => timed(() => bareSpawn());
  const figures = { executor: [] as SpawnFigures[], bare: [] as SpawnFigures[] };
  for (let round = 0; round < 3; round++) {
    figures.bare.push(await measure(viaSpawn));
    figures.executor.push(await measure(viaExecutor));
  }
  const launcher = livingProcesses().find(
    ({ parent, command }) => parent === process.pid && command.startsWith('job-launcher'),
  );
  const launcherMemory = memoryUsageOf(launcher?.pid as number);
  await native.close?.();
  rmSync(folder, { recursive: true });
  return { executor: best(figures.executor), bare: best(figures.bare), launcherMemory };
}

/** Spawns `true` without an executor: without storing output, killing process groups or creating working directories. */
function bareSpawn(): Promise<unknown> {
  const child = spawn('/bin/true', [], { detached: true, stdio: ['ignore', 'pipe', 'pipe'], env: {}, cwd: '/' });
  child.stdout.resume();
  child.stderr.resume();
  return new Promise((resolve) => child.once('close', resolve));
}

function timed(start: () => Promise<unknown>): ReturnType<Run> {
  const began = performance.now();
  const done = start();
  return { call: performance.now() - began, done };
}

async function measure(run: Run): Promise<SpawnFigures> {
  for (let left = 50; left > 0; left--) await run().done;
  const times: number[] = [];
  for (let left = alone; left > 0; left--) {
    const began = performance.now();
    await run().done;
    times.push(performance.now() - began);
  }
  const calls: number[] = [];
  let left = total;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const began = performance.now();
  const worker = async () => {
    while (left-- > 0) {
      const { call, done } = run();
      calls.push(call);
      await done;
    }
  };
  await Promise.all(Array.from({ length: together }, worker));
  const perSecond = total / ((performance.now() - began) / 1000);
  delay.disable();
  return {
    aloneP50: percentile(times, 0.5),
    perSecond,
    callP50: percentile(calls, 0.5),
    callP99: percentile(calls, 0.99),
    loopDelayMax: delay.max / 1e6,
  };
}

/** Returns the fastest round, because other load on the machine disturbed it least. */
function best(rounds: readonly SpawnFigures[]): SpawnFigures {
  return rounds.reduce((fastest, round) => (round.perSecond > fastest.perSecond ? round : fastest));
}

function percentile(values: number[], share: number): number {
  values.sort((one, other) => one - other);
  return values[Math.floor(values.length * share)] as number;
}

/** The memory of a process, in MiB; `private` excludes what it shares with others, such as the program text of Node. */
function memoryUsageOf(pid: number) {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const size = (key: string) => Number(new RegExp(`^${key}:\\s*(\\d+)`, 'm').exec(text)?.[1]) / 1024;
  return { private: size('Private_Clean') + size('Private_Dirty'), proportional: size('Pss'), resident: size('Rss') };
}

if (import.meta.main) {
  const { executor, bare, launcherMemory } = await measureSpawning();
  console.table({ 'native executor': executor, 'bare spawn': bare });
  console.log(`executor / bare: ${(executor.perSecond / bare.perSecond).toFixed(2)} of the throughput`);
  console.log('memory of the launcher, MB:', launcherMemory);
}
