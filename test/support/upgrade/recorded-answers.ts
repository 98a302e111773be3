import { join } from 'node:path';
import { SpawnedProgram } from '../program/spawned-program.ts';
import type { StoreClient, StoreSettings } from './store-client.ts';

/** What a service answered to requests, by their paths. */
export type Answers = Readonly<Record<string, { readonly status: number; readonly body: unknown }>>;

/** The lists of all records, and the path of one record of each. */
const lists: Readonly<Record<string, string>> = {
  topics: 'topic',
  apps: 'app',
  companies: 'company',
  users: 'user',
  credential_types: 'credential_type',
  credentials: 'credential',
  runtemplates: 'runtemplate',
  tasks: 'task',
  events: 'event',
  jobs: 'job',
  eventsources: 'eventsource',
  eventrules: 'eventrule',
  deliveries: 'delivery',
  auditlog: 'auditlog',
};

/** What is asked of each record besides itself. */
const parts: Readonly<Record<string, readonly string[]>> = {
  user: ['roles.json'],
  company: ['users.json'],
  job: ['output.json'],
  event: ['payload.json'],
  runtemplate: ['preview.json?from=2027-01-01T00:00:00Z&to=2027-01-03T00:00:00Z'],
};

/** Starts a service that changes nothing, with the code of a checkout. */
export async function startQuietService(root: string, settings: StoreSettings) {
  const program = join(import.meta.dirname, 'quiet-service.js');
  const service = new SpawnedProgram([root], settings, { program });
  const [, url] = await service.waitForOutput(/^listening on (\S+)$/m);
  return {
    url: url as string,
    async [Symbol.asyncDispose]() {
      service.process.kill('SIGKILL');
      await service.ended;
    },
  };
}

/** Asks for every record that a token may read, and for all parts of it; of the many audit entries, alone for a few. */
export async function recordAnswers(client: StoreClient): Promise<Answers> {
  const answers: Record<string, { readonly status: number; readonly body: unknown }> = {};
  const ask = async (path: string) => {
    answers[path] = await client.ask(path);
    return answers[path].body;
  };
  for (const [plural, singular] of Object.entries(lists)) {
    const records = (await ask(`/${plural}.json?limit=all&order=id`)) as readonly { readonly id: number }[];
    const single = records.filter((_record, index) => singular !== 'auditlog' || index % 25 === 0);
    for (const { id } of single) {
      const record = (await ask(`/${singular}/${id}.json`)) as { readonly artifacts?: unknown };
      for (const part of parts[singular] ?? []) await ask(`/${singular}/${id}/${part}`);
      if (singular === 'job' && Array.isArray(record.artifacts))
        for (const artifact of record.artifacts as { readonly id: number }[]) await ask(`/artifact/${artifact.id}`);
    }
  }
  await ask('/tasks/summary.json');
  return answers;
}
