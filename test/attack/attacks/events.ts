import { eventually } from '../../support/mocha/eventually.ts';
import type { Attack } from '../attack.ts';
import { findLongBlock } from '../service-metrics.ts';
import type { Target, Tenant } from '../target.ts';

/** A template whose jobs others do, and one that its rules run. */
interface Chain {
  readonly from: number;
  readonly to: number;
}

async function addChain(
  target: Target,
  tenant: Tenant,
  variables: readonly string[] = ['X'],
  more: object = {},
): Promise<Chain> {
  const environment = Object.fromEntries(variables.map((name) => [name, { type: 'string' }]));
  const fields = { result_file: 'r.json', environment, ...more };
  const app = await target.addShellApp('true', fields);
  const from = await target.addTemplate(tenant, app, { executor: 'external' });
  return { from, to: await target.addTemplate(tenant, app) };
}

/** Saves rules of a chain, as many as are wanted or until one is refused. @returns the refusal. */
async function addRules({ manager }: Tenant, { from, to }: Chain, selector: string, count: number) {
  const rule = { runtemplate_source_id: from, runtemplate_id: to, env_mapping: { X: selector } };
  for (let saved = 0; saved < count; saved += 1) {
    const { status, text } = await manager.post('/eventrule/', rule);
    if (status !== 201) return { saved, status, text };
  }
  return null;
}

/** A file as a report has it. */
interface SentFile {
  readonly filename: string;
  /** In base64. */
  readonly content: string;
}

/** Does a job of the first template of a chain, which leaves these files. */
async function report({ operator }: Tenant, { from }: Chain, artifacts: readonly SentFile[]): Promise<number> {
  const { id } = await operator.save('job', { runtemplate_id: from });
  await operator.save('job', { id, state: 'running' });
  await operator.save('job', { id, artifacts });
  await operator.save('job', { id, exit_code: 0 });
  return id;
}

function resultFile(text: string): SentFile {
  return { filename: 'r.json', content: Buffer.from(text).toString('base64') };
}

/** Runs a chain of two jobs of another company. @returns null when the second one was started, else what was seen. */
async function neighbourChain(target: Target): Promise<string | null> {
  const neighbour = await target.addTenant();
  const app = await target.addShellApp('true');
  const [first, second] = [await target.addTemplate(neighbour, app), await target.addTemplate(neighbour, app)];
  await neighbour.manager.save('eventrule', { runtemplate_source_id: first, runtemplate_id: second });
  const { state, reason } = await target.run(neighbour, first);
  if (state !== 'succeeded') return `a job of another company ended ${state}: ${reason}`;
  const started = async () => {
    const { json } = await neighbour.operator.get(`/jobs.json?runtemplate_id=${second}`);
    return json.length > 0;
  };
  return eventually('a chain of another company goes on', started).then(
    () => null,
    (error: Error) => error.message,
  );
}

/**
 * Does a job whose end has an event, while another company has a chain.
 * @returns what went wrong; null when that chain went on, the event ended as expected, and nothing blocked the service.
 */
async function endJob(
  target: Target,
  { tenant, chain, files }: { readonly tenant: Tenant; readonly chain: Chain; readonly files: readonly SentFile[] },
  expected: string,
): Promise<string | null> {
  const attempt = async () => {
    const job = await report(tenant, chain, files);
    const breach = await neighbourChain(target);
    await eventually(`the event is ${expected}`, async () => {
      const { json } = await tenant.operator.get(`/events.json?job_id=${job}`);
      return json[0]?.state === expected && json[0].attempts > 0;
    });
    return breach;
  };
  const { result: breach, block } = await findLongBlock(target, attempt, 0.5);
  return breach ?? block;
}

const unplannable: Attack = {
  claim: 'An event whose rules cannot be planned blocks neither the service nor the chains of others',
  attempt: async (target) => {
    const tenant = await target.addTenant();
    const chain = await addChain(target, tenant);
    await addRules(tenant, chain, '$.a', 400);
    const result = `[${Array.from({ length: 50_000 }, (_, index) => `{"k${index}":0},`).join('')}]`;
    return endJob(target, { tenant, chain, files: [resultFile(result)] }, 'set_aside');
  },
};

const burst: Attack = {
  claim: 'The jobs of a burst of events are made in pieces, between which the service and other companies go on',
  attempt: async (target) => {
    const tenant = await target.addTenant();
    const chain = await addChain(target, tenant);
    await addRules(tenant, chain, '$.a[*]', 9);
    const result = JSON.stringify({ a: Array.from({ length: 1000 }, (_, index) => index) });
    try {
      return await endJob(target, { tenant, chain, files: [resultFile(result)] }, 'done');
    } finally {
      await tenant.manager.save('runtemplate', { id: chain.to, active: false });
    }
  },
};

const manyRules: Attack = {
  claim: 'The event rules of a company, those that follow one template, and their selectors are limited in number',
  attempt: async (target) => {
    const tenant = await target.addTenant();
    const chain = await addChain(target, tenant);
    const refused = await addRules(tenant, chain, 'job_id', 101);
    if (refused?.status !== 409 || !/limit/.test(refused.text))
      return refused ? `rule ${refused.saved + 1} was answered with ${refused.text}` : '101 rules follow one template';
    const keys = Array.from({ length: 65 }, (_, index) => `X${index}`);
    const other = await addChain(target, tenant, keys);
    const env_mapping = Object.fromEntries(keys.map((key) => [key, 'job_id']));
    const rule = { runtemplate_source_id: other.from, runtemplate_id: other.to, env_mapping };
    const { status } = await tenant.manager.post('/eventrule/', rule);
    return status === 422 ? null : `a rule of 65 selectors was answered with ${status}`;
  },
};

const manyFiles: Attack = {
  claim: 'Rules that select files of a job with many files block neither the service nor the chains of others',
  attempt: async (target) => {
    const tenant = await target.addTenant();
    const artifacts = [{ name: 'none', path: '^(?:a|ab|abc)*d[0-9]+$' }];
    const chain = await addChain(target, tenant, ['X'], { artifacts });
    await addRules(tenant, chain, '@file:none', 100);
    const files = Array.from({ length: 900 }, (_, index) => ({
      filename: `${'abc'.repeat(300)}${index}`,
      content: '',
    }));
    return endJob(target, { tenant, chain, files }, 'set_aside');
  },
};

export const eventAttacks = [unplannable, burst, manyRules, manyFiles];
