import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LauncherSettings } from '../messages.ts';
import { CgroupDriver } from './cgroup/cgroup-driver.ts';
import { BubblewrapDriver } from './namespace/bubblewrap-driver.ts';
import { PidNamespaceDriver } from './namespace/pid-namespace-driver.ts';
import { type Sandbox, type SandboxDriver, type SandboxName, sandboxNames } from './sandbox.ts';
import { isRestricted, type SandboxOptions, unrestricted } from './sandbox-options.ts';
import { Sandboxes } from './sandboxes.ts';
import { SessionDriver } from './session-driver.ts';

interface SandboxRequest extends Pick<LauncherSettings, 'launcher' | 'sandbox' | 'sandboxOptions'> {
  /** Called when `isReady` of the sandboxes may have become true. */
  onReady(): void;
}

/**
 * Opens the sandboxes of the driver that was asked for, or of the best that works here, which is found out by trying.
 * @throws Error with a sentence where the driver or the options that were asked for cannot be had.
 */
export async function openSandboxes(request: SandboxRequest): Promise<Sandboxes> {
  const sandboxes = await openWorking(request);
  if (!isRestricted(request.sandboxOptions)) return sandboxes;
  try {
    return await proven(sandboxes, request.sandboxOptions);
  } catch (error) {
    throw new Error(
      `This machine cannot restrict native jobs: ${(error as Error).message} (horarium help containment).`,
    );
  }
}

async function openWorking(request: SandboxRequest): Promise<Sandboxes> {
  const { sandbox: wanted } = request;
  for (const name of wanted ? [wanted] : sandboxNames) {
    try {
      return await proven(new Sandboxes(driver(name, request)));
    } catch (error) {
      if (wanted)
        throw new Error(
          `This machine cannot contain native jobs by ${name}: ${(error as Error).message} (horarium help containment).`,
        );
    }
  }
  return new Sandboxes(new SessionDriver(request.launcher));
}

function driver(name: SandboxName, { sandbox: wanted, launcher, onReady }: SandboxRequest): SandboxDriver {
  switch (name) {
    case 'cgroup':
      return new CgroupDriver(launcher, wanted !== null);
    case 'pid-namespace':
      return new PidNamespaceDriver(launcher, onReady);
    case 'bubblewrap':
      return new BubblewrapDriver();
    case 'none':
      return new SessionDriver(launcher);
  }
}

/** The exit code of the program that tries a sandbox. */
const provenCode = 42;
/** Milliseconds within which a sandbox must show that it works. */
const proofTimeout = 5000;

/** Returns sandboxes that work; others are closed. @throws Error. */
async function proven(sandboxes: Sandboxes, options = unrestricted): Promise<Sandboxes> {
  try {
    await prove(sandboxes, options);
    return sandboxes;
  } catch (error) {
    await sandboxes.close();
    throw error;
  }
}

/** Tries a sandbox: a program runs in it, and what the program leaves running is killed. @throws Error. */
async function prove(sandboxes: Sandboxes, options: SandboxOptions): Promise<void> {
  if (sandboxes.name === 'none' && !isRestricted(options)) return;
  const deadline = performance.now() + proofTimeout;
  const until = async (condition: () => boolean, problem: string) => {
    while (!condition()) {
      if (performance.now() > deadline) throw new Error(problem);
      await sleep(1);
    }
  };
  await until(() => sandboxes.isReady, 'it takes too long');
  const sandbox = sandboxes.make('trial', options);
  try {
    const { code, message } = await run(sandbox);
    if (code !== provenCode)
      throw new Error(message.trim() || `a program that was started in the sandbox ended with exit code ${code}`);
  } finally {
    sandbox.kill();
  }
  await until(() => sandbox.isEmpty() !== false, 'a process in it cannot be killed');
  sandbox.remove();
}

async function run(sandbox: Sandbox): Promise<{ readonly code: number | null; readonly message: string }> {
  const script = `sleep 60 > /dev/null 2>&1 & exit ${provenCode}`;
  const program = { file: '/bin/sh', calledAs: 'sh', arguments: ['-c', script], folder: '/', directory: '/' };
  const own = { home: null, inputs: null, identity: null, environment: { PATH: '/usr/bin:/bin' } };
  const child = sandbox.start({ ...program, ...own }, ['ignore', 'ignore', 'pipe']);
  const message = child.stderr ? text(child.stderr).catch(() => '') : '';
  const [code] = await once(child, 'close');
  return { code, message: await message };
}
