import { setTimeout as sleep } from 'node:timers/promises';
import { CgroupContainment } from './cgroup/cgroup-containment.ts';
import { type Containment, type ContainmentName, containmentNames, type Enclosure } from './containment.ts';
import { BubblewrapContainment } from './namespace/bubblewrap-containment.ts';
import { PidNamespaceContainment } from './namespace/pid-namespace-containment.ts';
import { RestrictingContainment } from './restricting-containment.ts';
import { isRestricted, noRestrictions, type Restrictions } from './restrictions.ts';
import { SessionContainment } from './session-containment.ts';

interface ContainmentRequest {
  /** The containment to use; null for the best that the machine offers. */
  readonly containment: ContainmentName | null;
  /** What holds for every job. */
  readonly restrictions: Restrictions;
  /** The name of the launcher, which is the prefix of the ids of its invocations. */
  readonly launcher: string;
  /** Called when the containment's `isReady` may have become true. */
  onReady(): void;
}

/**
 * Opens the containment that was asked for, or the best that works here, which is found out by trying.
 * @throws Error with a sentence where the containment or the restrictions that were asked for cannot be had.
 */
export async function openContainment(request: ContainmentRequest): Promise<RestrictingContainment> {
  const containment = new RestrictingContainment(await openInner(request));
  if (!isRestricted(request.restrictions)) return containment;
  try {
    await prove(containment, request.restrictions);
    return containment;
  } catch (error) {
    await containment.close();
    throw new Error(`This machine cannot restrict native jobs: ${(error as Error).message}.`);
  }
}

async function openInner(request: ContainmentRequest): Promise<Containment> {
  const { containment: wanted } = request;
  for (const name of wanted ? [wanted] : containmentNames) {
    try {
      const containment = make(name, request);
      try {
        await prove(new RestrictingContainment(containment));
        return containment;
      } catch (error) {
        await containment.close();
        throw error;
      }
    } catch (error) {
      if (wanted) throw new Error(`This machine cannot contain native jobs by ${name}: ${(error as Error).message}.`);
    }
  }
  return new SessionContainment(request.launcher);
}

function make(name: ContainmentName, { containment: wanted, launcher, onReady }: ContainmentRequest): Containment {
  switch (name) {
    case 'cgroup':
      return new CgroupContainment(launcher, wanted !== null);
    case 'pid-namespace':
      return new PidNamespaceContainment(launcher, onReady);
    case 'bubblewrap':
      return new BubblewrapContainment();
    case 'none':
      return new SessionContainment(launcher);
  }
}

/** The exit code of the program by which a containment is tried. */
const provenCode = 42;
/** Milliseconds within which a containment must show that it works. */
const proofTimeout = 5000;

/** Tries a containment: a program runs in it, and what the program leaves running is killed. @throws Error. */
async function prove(containment: RestrictingContainment, restrictions = noRestrictions): Promise<void> {
  if (containment.name === 'none' && !isRestricted(restrictions)) return;
  const deadline = performance.now() + proofTimeout;
  const until = async (condition: () => boolean, problem: string) => {
    while (!condition()) {
      if (performance.now() > deadline) throw new Error(problem);
      await sleep(1);
    }
  };
  await until(() => containment.isReady, 'it takes too long');
  const enclosure = containment.enclose('trial', restrictions);
  try {
    const { code, message } = await run(enclosure);
    if (code !== provenCode) throw new Error(message.trim() || `a program in it ended with exit code ${code}`);
  } finally {
    enclosure.kill();
  }
  await until(() => enclosure.isEmpty() !== false, 'a process in it cannot be killed');
  enclosure.remove();
}

async function run(enclosure: Enclosure): Promise<{ readonly code: number | null; readonly message: string }> {
  const script = `sleep 60 > /dev/null 2>&1 & exit ${provenCode}`;
  const program = {
    file: '/bin/sh',
    calledAs: 'sh',
    arguments: ['-c', script],
    folder: '/',
    home: null,
    inputs: null,
    identity: null,
  };
  const environment = { PATH: '/usr/bin:/bin' };
  const child = enclosure.start({ ...program, environment }, ['ignore', 'ignore', 'pipe']);
  let message = '';
  child.stderr?.on('data', (text: Buffer) => {
    message += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, message };
}
