import { EventStream } from '../../support/http/event-stream.ts';
import { type BenchDatabase, openDatabase } from '../harness/databases.ts';
import { ProcessorTime } from '../harness/processor-time.ts';
import { quantile } from '../harness/rounds.ts';
import { Service } from '../harness/service.ts';
import type { Report } from '../results.ts';

export const name = 'clients of GET /changes';
const clients = 200;
const seconds = 20;
const changesPerSecond = 50;

/** Measures what clients cost the service that follow all changes, and how soon they get one. */
export async function run(report: Report): Promise<void> {
  for (const kind of ['SQLite FULL', 'PostgreSQL'] as const) {
    await using database = await openDatabase(kind);
    await using service = await Service.start(database);
    await service.signIn();
    const share = (work: () => Promise<unknown>) => shareOfCore(service, database, work);
    const alone = { idle: await share(wait), busy: await share(() => change(service)) };
    const memory = service.memory;
    await using streams = new AsyncDisposableStack();
    const { promise: lastOpened, resolve } = Promise.withResolvers<EventStream>();
    for (let client = 1; client <= clients; client++) {
      const stream = streams.use(
        await EventStream.open(`${service.url}/changes`, { authorization: service.authorization.bearer }),
      );
      await stream.waitFor(({ events }) => events.length > 0);
      if (client === clients) resolve(stream);
    }
    const stream = await lastOpened;
    report.figure(`${kind}: nothing happens, no client`, alone.idle, '% of a core');
    report.figure(`   ${clients} clients`, await share(wait), '% of a core', { max: 10 });
    report.figure(`   memory of ${clients} clients`, service.memory - memory, 'MB');
    report.figure(`${kind}: ${changesPerSecond} changes a second, no client`, alone.busy, '% of a core');
    const delays: number[] = [];
    const busy = await share(() => change(service, stream, delays));
    report.figure(`   ${clients} clients`, busy, '% of a core');
    report.figure('   from the response of a change to its event, p50', quantile(delays, 0.5), 'ms');
    report.figure('   from the response of a change to its event, p95', quantile(delays, 0.95), 'ms', { max: 1000 });
  }
}

/** The processor time of the service and its database during some work, in percent of one core. */
async function shareOfCore(service: Service, database: BenchDatabase, work: () => Promise<unknown>): Promise<number> {
  const time = new ProcessorTime({ service: () => [service.pid], database: database.processes });
  const start = performance.now();
  await time.measure(work);
  const used = Object.values(time.milliseconds).reduce((sum, each) => sum + each, 0);
  return (used / (performance.now() - start)) * 100;
}

function wait(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

let topics = 0;

/** Creates topics, so many a second. @param delays gets how long a client waits for the event of each. */
async function change(service: Service, stream?: EventStream, delays: number[] = []): Promise<void> {
  const start = performance.now();
  for (let count = 0; count < changesPerSecond * seconds; count++) {
    const due = start + (count * 1000) / changesPerSecond;
    if (due > performance.now()) await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
    const { id } = await service.request('POST', '/topic/', { name: `topic ${++topics}` });
    if (stream && count % changesPerSecond === 0) delays.push(await delayOf(stream, id as number));
  }
}

async function delayOf(stream: EventStream, id: number): Promise<number> {
  const start = performance.now();
  await stream.waitFor(({ text }) => text.includes(`"entity_type":"Topic","entity_id":${id},`));
  return performance.now() - start;
}
