import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../simulation/world/random.ts';
import { type Acknowledged, writeUntilDisconnected } from './client.ts';
import type { ServiceWorld } from './service-world.ts';

export interface KillPlan {
  readonly seed: number;
  /** How many service processes run at the same time; each slot starts a new process after every kill. */
  readonly slots: number;
  /** How many processes are killed, in all slots together. */
  readonly kills: number;
  readonly token: string;
  /** The id of the template whose ad hoc jobs the clients schedule. */
  readonly template: number;
}

/** When one service process was killed. */
export interface ServiceLifetime {
  readonly pid: number;
  /** When it was killed; Infinity = it was not. */
  readonly to: number;
}

export interface KillResult {
  readonly lifetimes: readonly ServiceLifetime[];
  readonly acknowledged: Acknowledged;
  /** Unexpected exits, responses and errors in logs, a sentence each. */
  readonly violations: readonly string[];
}

/** Kills service processes at random moments while clients write to them, and replaces each by a new one. */
export async function killServices(world: ServiceWorld, plan: KillPlan): Promise<KillResult> {
  const result = {
    lifetimes: [] as ServiceLifetime[],
    acknowledged: { jobs: [], topics: [] } as Acknowledged,
    violations: [] as string[],
  };
  const runSlot = async (_: unknown, number: number) => {
    const random = new Random(plan.seed * 100 + number);
    const count = Math.ceil((plan.kills - number) / plan.slots);
    for (let nth = 0; nth < count; nth += 1) {
      await runAndKill(world, plan, `seed ${plan.seed} slot ${number} process ${nth}`, random, result);
      if (random.chance(0.2)) await pause(random.integer(0, 500));
    }
  };
  await Promise.all(Array.from({ length: plan.slots }, runSlot));
  return result;
}

async function runAndKill(
  world: ServiceWorld,
  { token, template }: KillPlan,
  name: string,
  random: Random,
  {
    lifetimes,
    acknowledged,
    violations,
  }: { lifetimes: ServiceLifetime[]; acknowledged: Acknowledged; violations: string[] },
): Promise<void> {
  const service = world.spawnService();
  // Some processes are killed while they start; the others after a number of writes of one kind, and a moment.
  const killDuringStart = random.chance(0.15);
  const kind = random.chance(0.5) ? 'jobs' : 'topics';
  let missing = random.integer(1, kind === 'jobs' ? 5 : 50);
  const moment = random.integer(0, killDuringStart ? 1000 : 200);
  const written = Promise.withResolvers<void>();
  const onWrite = (of: keyof Acknowledged) => {
    if (of === kind) missing -= 1;
    if (missing === 0) written.resolve();
  };
  const writing = killDuringStart ? Promise.resolve() : writeWhenReady();
  const moved = killDuringStart ? pause(moment) : written.promise.then(() => pause(moment));
  const ended = await Promise.race([moved, service.ended]);
  if (ended !== undefined) violations.push(`${name} exited by itself with ${ended}: ${service.err}`);
  service.process.kill('SIGKILL');
  lifetimes.push({ pid: service.process.pid as number, to: Date.now() });
  await service.ended;
  await writing;
  violations.push(...service.loggedErrors.map((line) => `${name}: ${JSON.stringify(line)}`));

  async function writeWhenReady(): Promise<void> {
    const match = await service.waitForOutput(listening).catch(() => null);
    if (match)
      await writeUntilDisconnected({
        url: match[1] as string,
        token,
        name,
        template,
        acknowledged,
        onWrite,
        unexpected: violations,
      });
  }
}

const listening = /^listening on (\S+)$/m;
