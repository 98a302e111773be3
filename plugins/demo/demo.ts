import {
  type Actor,
  App,
  Company,
  type PluginCore,
  RunTemplate,
  type RunTemplateInput,
  type Tables,
  yieldToEventLoop,
} from '@horarium/core/plugin';

interface DemoJob {
  readonly code: string;
  readonly name: string;
  /** A shell script, which ends within a few seconds. */
  readonly script: string;
  readonly template: RunTemplateInput;
}

/** Demonstration jobs of every outcome: fulfilled, fulfilled at the second attempt, failed, late, timed out. */
const jobs: readonly DemoJob[] = [
  {
    code: 'heartbeat',
    name: 'Heartbeat',
    script: 'echo "alive at $(date +%T)"',
    template: { cron: '*/5 * * * * *' },
  },
  {
    code: 'orders',
    name: 'Fetch orders from the shop',
    script: 'for n in 1 2 3; do echo "order $n fetched"; sleep 0.5; done',
    template: { cron: '*/10 * * * * *', deadline: '+8s' },
  },
  {
    code: 'stock',
    name: 'Synchronise the stock (the first attempt fails)',
    script: 'if [ "$HORARIUM_ATTEMPT" = 1 ]; then echo "the warehouse does not answer" >&2; exit 75; fi; echo done',
    template: { cron: '*/15 * * * * *', max_attempts: 3, retry_backoff: 'fixed', retry_delay: 2 },
  },
  {
    code: 'invoices',
    name: 'Send invoices (always fails)',
    script: 'echo "the mail server refuses the login" >&2; exit 1',
    template: { cron: '*/20 * * * * *', max_attempts: 2, retry_backoff: 'fixed', retry_delay: 3 },
  },
  {
    code: 'report',
    name: 'Sales report (late: it takes longer than its deadline allows)',
    script: 'sleep 4; echo "42 pages"',
    template: { cron: '*/30 * * * * *', deadline: '+2s', allow_late: true },
  },
  {
    code: 'mirror',
    name: 'Mirror the archive (runs into its time limit)',
    script: 'echo "copying"; sleep 60',
    template: { cron: '0 * * * * *', timeout: 5 },
  },
];

type DemoCore = Pick<PluginCore, 'records'>;

/**
 * Fills an empty store with a small company whose jobs run every few seconds, in the caller's transaction.
 * @returns false, without a change, when there are companies already.
 */
export async function fillWithDemo(core: DemoCore, actor: Actor, tables: Tables): Promise<boolean> {
  if ((await tables.of(Company).count([], 1)) > 0) return false;
  const company = { code: 'acorn', name: 'Acorn Trading (a demonstration)' };
  const { id } = await core.records(Company).saveIn(tables, actor, company);
  for (const job of jobs) {
    await yieldToEventLoop();
    await addJob(core, actor, tables, id, job);
  }
  return true;
}

async function addJob(core: DemoCore, actor: Actor, tables: Tables, company_id: number, job: DemoJob): Promise<void> {
  const { code, name, script, template } = job;
  const app = { code: `demo-${code}`, name, executable: '/bin/sh', arguments: ['-c', script] };
  const { id: app_id } = await core.records(App).saveIn(tables, actor, app);
  const owners = { company_id, app_id };
  await core.records(RunTemplate).saveIn(tables, actor, { code, name, interval: 'custom', ...owners, ...template });
}
