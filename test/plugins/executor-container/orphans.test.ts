import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { preparePlugin, systemClock } from '@horarium/core';
import { attemptOf } from '@horarium/core/contracts';
import { expect } from 'chai';
import plugin from '../../../plugins/executor-container/plugin.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { livingProcesses } from '../../support/program/processes.ts';
import { StandIn } from './stand-in.ts';

const program = fileURLToPath(new URL('./doomed-service.js', import.meta.url));

/** Starts a service. */
function serve(standIn: StandIn, lease = 3_600_000): { service: ChildProcess; runs: () => Promise<unknown> } {
  const words = [program, JSON.stringify(standIn.cli), String(lease)];
  const service = spawn(process.execPath, words, { env: {}, stdio: ['ignore', 'pipe', 'inherit'] });
  return { service, runs: () => once(service.stdout, 'data') };
}

describe('The containers of a service that is killed by kill -9', () => {
  let standIn: StandIn;
  let service: ChildProcess;
  let runs: () => Promise<unknown>;
  beforeEach(() => {
    standIn = new StandIn();
    ({ service, runs } = serve(standIn));
  });

  it('are removed by its launcher at once', async () => {
    await runs();
    const pid = pidOf(standIn);
    service.kill('SIGKILL');
    await eventually('its program has ended', () => standIn.containers().length === 0 && !isRunning(pid));
    await eventually('the launcher has removed its folder', () => launchers(standIn).length === 0);
  });

  it('are removed by its launcher while they are being created', async () => {
    standIn.misbehave('hangs');
    await eventually('it is being created', () => standIn.calls('create').length > 0);
    service.kill('SIGKILL');
    await eventually('what the engine may still create is removed', () => standIn.calls('rm').length === 3);
    await eventually('the launcher has removed its folder', () => launchers(standIn).length === 0);
  });

  it('are removed by the next service on the machine, when its launcher was killed too', async () => {
    await runs();
    const pid = pidOf(standIn);
    await killBoth(standIn, service);
    expect(standIn.containers()).to.have.lengthOf(1);
    expect(await startNext(standIn)).to.deep.equal(['removed 1 containers whose service died']);
    expect([standIn.containers(), isRunning(pid), launchers(standIn)]).to.deep.equal([[], false, []]);
    expect(standIn.calls('ps')).to.deep.equal([]);
  });

  it('are removed by a later service, when the engine does not answer the next one', async () => {
    await runs();
    await killBoth(standIn, service);
    standIn.misbehave('no-daemon');
    const [sentence] = await startNext(standIn);
    expect(sentence).to.equal('a container whose service died remains: Error: the daemon does not answer');
    rmSync(join(standIn.folder, 'no-daemon'));
    await startNext(standIn);
    expect([standIn.containers(), launchers(standIn)]).to.deep.equal([[], []]);
  });
});

describe('The containers of a service that hangs', () => {
  it('are removed by its launcher when the lease has run out', async () => {
    const standIn = new StandIn();
    const { service, runs } = serve(standIn, 1000);
    await runs();
    const pid = pidOf(standIn);
    service.kill('SIGSTOP');
    await eventually('its program has ended', () => standIn.containers().length === 0 && !isRunning(pid));
    service.kill('SIGKILL');
    await eventually('the launcher has removed its folder', () => launchers(standIn).length === 0);
  });
});

describe('The containers of a launcher that is killed by kill -9', () => {
  it('are removed by its service, and their attempts are lost', async () => {
    const standIn = new StandIn();
    const executor = standIn.executor();
    const { promise, resolve } = Promise.withResolvers<void>();
    const given = attemptOf({ executable: 'sleep', arguments: ['1000'], image: 'image:1' });
    const { done } = executor.start(given, { started: () => resolve(), output() {} });
    await promise;
    const pid = pidOf(standIn);
    const launcher = launcherOf(standIn);
    process.kill(launcher, 'SIGKILL');
    const reason = 'The launcher of containers of podman ended (SIGKILL); its jobs were killed.';
    expect(await done).to.include({ exitCode: null, lost: true, reason });
    expect([standIn.containers(), isRunning(pid), launchers(standIn)]).to.deep.equal([[], false, []]);
    await executor.close();
  });
});

/** Kills a service and its launcher, which cannot clean up between the two signals. */
async function killBoth(standIn: StandIn, service: ChildProcess): Promise<void> {
  const launcher = launcherOf(standIn);
  process.kill(launcher, 'SIGSTOP');
  service.kill('SIGKILL');
  process.kill(launcher, 'SIGKILL');
  await once(service, 'exit');
  await eventually('the launcher is gone', () => livingProcesses().every(({ pid }) => pid !== launcher));
}

/** Starts the plugin as the next service does. @returns what it logs first. */
async function startNext(standIn: StandIn): Promise<string[]> {
  const logged: string[] = [];
  const given = { podman: standIn.cli.program, environment: standIn.cli.environment, folder: standIn.folder };
  const { setup } = preparePlugin(plugin, given, systemClock, (_name, sentence) => logged.push(sentence));
  await plugin.start?.(setup as never);
  await eventually('it says what it removed', () => logged.length > 0);
  return logged;
}

function pidOf(standIn: StandIn): number {
  return Number(standIn.read(`containers/${standIn.containers()[0]}/pid`));
}

function isRunning(pid: number): boolean {
  return livingProcesses().some((each) => each.pid === pid);
}

/** The folders of launchers. */
function launchers(standIn: StandIn): string[] {
  return readdirSync(standIn.folder).filter((name) => name.startsWith('horarium-jobs-'));
}

/** The process id of the launcher, as its register says. */
function launcherOf(standIn: StandIn): number {
  return JSON.parse(standIn.read(`${launchers(standIn)[0]}/launcher`)).pid;
}
