import { createHash } from 'node:crypto';
import type { FleetWorld } from '../../nats/fleet-world.ts';
import { recordingShell } from '../recorded-runs.ts';

/** A template whose jobs run on agents. */
export interface AgentTemplate {
  readonly name: string;
  readonly pool: string;
  /** The length of its windows in milliseconds; null = its jobs are requested. */
  readonly step: number | null;
  /** Jobs whose id this number divides fail; 0 = none. */
  readonly failEvery: number;
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}

const second = 1000;

/** Templates of two pools: one for each overlap rule, one with many retries, and one whose jobs are requested. */
const templates: readonly AgentTemplate[] = [
  {
    name: 'forbid',
    pool: 'gpu',
    step: 2 * second,
    failEvery: 9,
    fields: { cron: '*/2 * * * * *', overlap: 'forbid', max_attempts: 3, catch_up: 'latest' },
  },
  {
    name: 'allow',
    pool: 'cpu',
    step: 2 * second,
    failEvery: 0,
    fields: { cron: '*/2 * * * * *', overlap: 'allow', max_attempts: 3, catch_up: 'all' },
  },
  {
    name: 'replace',
    pool: 'cpu',
    step: 4 * second,
    failEvery: 0,
    fields: { cron: '*/4 * * * * *', overlap: 'replace', catch_up: 'none' },
  },
  {
    name: 'retries',
    pool: 'gpu',
    step: 10 * second,
    failEvery: 2,
    fields: {
      cron: '*/10 * * * * *',
      overlap: 'forbid',
      max_attempts: 8,
      retry_backoff: 'fixed',
      retry_delay: 1,
      catch_up: 'all',
      allow_late: true,
      deadline: '+5s',
    },
  },
  { name: 'requested', pool: 'cpu', step: null, failEvery: 5, fields: { overlap: 'allow' } },
];

/** Writes output before and after it waits for up to three seconds, and leaves a file, of which each has a size of its own. */
const work = `n=$HORARIUM_JOB_ID
seq 1 $((n * 7 % 300 + 1)) | sed "s/^/$n /"
sh -c "sleep $((n % 3)).$((n * 37 % 90 + 10)); true" & wait $!
yes $n | head -c $((n * 1009 % 300000 + 1)) >result.txt
echo "$n done"`;

/** What a job writes that ends by itself. */
export function expectedOutput(job: number): string {
  const lines = Array.from({ length: ((job * 7) % 300) + 1 }, (_, index) => `${job} ${index + 1}\n`);
  return `${lines.join('')}${job} done\n`;
}

/** The size and the checksum of the file that a job leaves. */
export function expectedFile(job: number): { readonly size: number; readonly sha256: string } {
  const size = ((job * 1009) % 300_000) + 1;
  const line = `${job}\n`;
  const content = line.repeat(Math.ceil(size / line.length)).slice(0, size);
  return { size, sha256: createHash('sha256').update(content).digest('hex') };
}

/** Adds the templates, whose jobs record their runs in the folder. @returns the templates by their ids. */
export async function addAgentTemplates(
  { service }: FleetWorld,
  folder: string,
): Promise<ReadonlyMap<number, AgentTemplate>> {
  const byId = new Map<number, AgentTemplate>();
  const artifacts = JSON.stringify([{ name: 'result', path: 'result\\.txt' }]);
  for (const template of templates) {
    const { name, pool, step, failEvery, fields } = template;
    const shell = recordingShell(folder, { mayOverlap: fields['overlap'] === 'allow', failEvery, work });
    const placed = { executor: 'agent', executor_options: JSON.stringify({ pool }) };
    const interval = step === null ? 'none' : 'custom';
    const id = await service.addTemplate(name, shell, { ...placed, interval, ...fields }, '--artifacts', artifacts);
    byId.set(id, template);
  }
  return byId;
}
