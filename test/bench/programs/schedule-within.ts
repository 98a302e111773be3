import { mikroOrmStore } from '../../../adapters/mikro-orm/application-store.ts';
import { benchCore, NoopExecutor } from '../harness/bench-core.ts';
import { type BenchDatabase, databases, openDatabase } from '../harness/databases.ts';
import { openGraphileWorker, openPgBoss } from '../harness/job-queues.ts';
import { ProcessorTime } from '../harness/processor-time.ts';
import { interleavedSamples, median, quantile, timed } from '../harness/rounds.ts';
import { type ScheduleWithin, Shop } from '../harness/shop.ts';
import type { Report } from '../results.ts';

export const name = 'a job scheduled inside the transaction of an application';
const rounds = 20;
const warmUps = 6;
const ordersPerRound = 50;

/**
 * Measures what a job adds to a transaction in which an application inserts an order by its own MikroORM, one at a time.
 * The subjects do not do the same. Horarium checks the actor's permission, locks and reads the template, checks that the
 * App and the company are enabled and that the App declares the variable that carries the order, and writes the job with
 * its audit entry, all in a savepoint; graphile-worker and pg-boss write one row by one statement. No worker runs the jobs.
 * On PostgreSQL their number bounds the time: the application's driver sends one statement after another, unprepared.
 */
export async function run(report: Report): Promise<void> {
  for (const database of databases) {
    await using opened = await openDatabase(database);
    await using shop = await Shop.open(opened);
    await using resources = new AsyncDisposableStack();
    const schedules: Record<string, ScheduleWithin> = { Horarium: await scheduleByHorarium(shop) };
    if (database === 'PostgreSQL') {
      schedules['graphile-worker'] = resources.use(await openGraphileWorker(opened.url)).schedule;
      schedules['pg-boss'] = resources.use(await openPgBoss(opened.url)).schedule;
    }
    const ways = Object.entries({ alone: null, ...schedules });
    const workloads = ways.map(([way, schedule]) => [way, () => placeOrders(opened, shop, schedule)] as const);
    const samples = await interleavedSamples(rounds, Object.fromEntries(workloads), warmUps);
    const { alone, ...scheduled } = Object.fromEntries(ways.map(([way]) => [way, summarize(samples[way] as Round[])]));
    reportFigures(report, database, alone as Summary, scheduled);
  }
}

/** Returns how the core schedules a job of an ad hoc template, with the order in its environment. */
async function scheduleByHorarium(shop: Shop): Promise<ScheduleWithin> {
  const store = await mikroOrmStore({ orm: shop.orm });
  const core = benchCore(store, new NoopExecutor(), 8);
  const actor = core.actor('the shop');
  const environment = { ORDER: { type: 'integer', required: true } } as const;
  const app = await core.apps.save(actor, { name: 'Confirm', executable: 'confirm', environment });
  const company = await core.companies.save(actor, { code: 'shop', name: 'The shop' });
  const owners = { app_id: app.id, company_id: company.id };
  const fields = { name: 'Confirm an order', executor: 'noop', ...owners };
  const { id } = await core.runTemplates.save(actor, { interval: 'none', overlap: 'allow', ...fields });
  return (em, order) => {
    const job = { runtemplate_id: id, environment: { ORDER: `${order}` } };
    return core.with(store.within(em)).jobs.schedule(actor, job);
  };
}

interface Round {
  /** Milliseconds from before the begin of each transaction until its commit has returned. */
  readonly latencies: readonly number[];
  readonly statements: number;
  /** Milliseconds used by each of the processes. */
  readonly processorTime: Readonly<Record<string, number>>;
}

async function placeOrders({ processes }: BenchDatabase, shop: Shop, schedule: ScheduleWithin | null): Promise<Round> {
  const processorTime = new ProcessorTime({ 'the application': () => [process.pid], 'the server': processes });
  const statements = shop.statements;
  const latencies: number[] = [];
  await processorTime.measure(async () => {
    for (let order = 0; order < ordersPerRound; order++) latencies.push(await timed(() => shop.order(schedule)));
  });
  return { latencies, statements: shop.statements - statements, processorTime: processorTime.milliseconds };
}

/** The figures of the transactions of all rounds: times in milliseconds. */
interface Summary {
  readonly p50: number;
  readonly p99: number;
  /** Begin and commit are two of them. */
  readonly statements: number;
  readonly processorTime: Readonly<Record<string, number>>;
}

function summarize(samples: readonly Round[]): Summary {
  const latencies = samples.flatMap((round) => round.latencies);
  const mean = (figure: (round: Round) => number) =>
    samples.reduce((sum, round) => sum + figure(round), 0) / latencies.length;
  const processes = Object.keys((samples[0] as Round).processorTime);
  return {
    p50: median(latencies),
    p99: quantile(latencies, 0.99),
    statements: mean((round) => round.statements),
    processorTime: Object.fromEntries(
      processes.map((name) => [name, mean(({ processorTime }) => processorTime[name] as number)]),
    ),
  };
}

function reportFigures(
  report: Report,
  database: string,
  alone: Summary,
  scheduled: Readonly<Record<string, Summary>>,
): void {
  report.figure(`${database}, an order alone, p50`, alone.p50, 'ms');
  report.figure('   p99', alone.p99, 'ms');
  report.figure('   sent, with begin and commit', alone.statements, 'statements');
  for (const [way, { p50, p99, statements, processorTime }] of Object.entries(scheduled)) {
    report.figure(`${database}, an order with a job of ${way}, p50`, p50, 'ms');
    report.figure('   p99', p99, 'ms');
    report.figure('   time added, p50', p50 - alone.p50, 'ms');
    report.figure('   added', statements - alone.statements, 'statements');
    for (const [name, spent] of Object.entries(processorTime)) {
      const added = spent - (alone.processorTime[name] as number);
      if (spent > 0) report.figure(`   processor time added: ${name}`, added, 'ms');
    }
  }
  const { Horarium: ours, ...queues } = scheduled;
  for (const [queue, { p50 }] of Object.entries(queues)) {
    const ratio = ((ours as Summary).p50 - alone.p50) / (p50 - alone.p50);
    report.figure(`${database}, time added by Horarium vs. ${queue}`, ratio, '×');
  }
}
