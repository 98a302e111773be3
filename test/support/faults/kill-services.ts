import { setTimeout as pause } from 'node:timers/promises';
import type { SpawnedProgram } from '../program/spawned-program.ts';
import { Random } from '../simulation/world/random.ts';
import { type Acknowledged, writeUntilDead } from './client.ts';
import type { ServiceWorld } from './service-world.ts';

export interface KillPlan {
  readonly seed: number;
  /** How many processes serve the store side by side. */
  readonly lanes: number;
  /** How many processes end by SIGKILL, in all lanes together. */
  readonly kills: number;
  readonly token: string;
  /** The template of ad hoc jobs. */
  readonly template: number;
}

/** One process that served the store. */
export interface ServiceLifetime {
  readonly pid: number;
  /** When it began to respond; null = it was killed before. */
  readonly from: number | null;
  /** When it was killed; infinite for one that was not. */
  readonly to: number;
}

export interface Killed {
  readonly lifetimes: readonly ServiceLifetime[];
  readonly acknowledged: Acknowledged;
  /** The promises that were broken while they lived. */
  readonly wrong: readonly string[];
}

/** Kills processes that serve a store at moments drawn by the seed, while clients write; each is followed by another. */
export async function killServices(world: ServiceWorld, plan: KillPlan): Promise<Killed> {
  const killed = {
    lifetimes: [] as ServiceLifetime[],
    acknowledged: { jobs: [], topics: [] } as Acknowledged,
    wrong: [] as string[],
  };
  const lane = async (_: unknown, number: number) => {
    const random = new Random(plan.seed * 100 + number);
    const count = Math.ceil((plan.kills - number) / plan.lanes);
    for (let life = 0; life < count; life += 1) {
      await liveAndDie(world, plan, `seed ${plan.seed} lane ${number} life ${life}`, random, killed);
      if (random.chance(0.2)) await pause(random.whole(0, 500));
    }
  };
  await Promise.all(Array.from({ length: plan.lanes }, lane));
  return killed;
}

async function liveAndDie(
  world: ServiceWorld,
  { token, template }: KillPlan,
  name: string,
  random: Random,
  { lifetimes, acknowledged, wrong }: { lifetimes: ServiceLifetime[]; acknowledged: Acknowledged; wrong: string[] },
): Promise<void> {
  const service = world.serve();
  let from: number | null = null;
  void service.says(listening).then(
    () => {
      from = Date.now();
    },
    () => undefined,
  );
  const [early, delay] = [random.chance(0.15), random.whole(50, 1000)];
  const writing = early ? Promise.resolve() : writeWhenReady(service);
  const ended = await Promise.race([early ? pause(delay) : readyFor(service, delay), service.ended]);
  if (ended !== undefined) wrong.push(`${name} ended by itself with ${ended}: ${service.err}`);
  service.process.kill('SIGKILL');
  lifetimes.push({ pid: service.process.pid as number, from, to: Date.now() });
  await service.ended;
  await writing;
  wrong.push(
    ...service.log.filter((line) => (line['level'] as number) >= 50).map((line) => `${name}: ${JSON.stringify(line)}`),
  );

  async function writeWhenReady(service: SpawnedProgram): Promise<void> {
    const found = await service.says(listening).catch(() => null);
    if (found) await writeUntilDead({ url: found[1] as string, token, name, template, acknowledged, wrong });
  }
}

const listening = /^listening on (\S+)$/m;

/** Resolves when a process has responded for that long; never when it ends before. */
async function readyFor(service: SpawnedProgram, duration: number): Promise<void> {
  const answers = await service.says(listening).then(
    () => true,
    () => false,
  );
  if (!answers) await new Promise<never>(() => {});
  await pause(duration);
}
