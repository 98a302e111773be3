import { reachOtherCompanies } from '../attacks/neighbours.ts';
import type { Client } from '../target.ts';
import { agentProofs } from './agents.ts';
import { secret } from './cast.ts';
import { all, denied, invalid, type Proof, type Proofs } from './promise.ts';

interface SeparationRow {
  readonly records: Proofs;
  readonly processes: Proofs;
  readonly resources: Proofs;
}

/** Shows that nothing of the other company is told from something that does not exist. */
const othersAreMissing: Proof = async ({ own, other }) => {
  const paths = (owner: typeof other | null): readonly string[] => [
    `/company/${owner?.company ?? missing}.json`,
    `/company/${owner?.company ?? missing}/users.json`,
    `/runtemplate/${owner?.template ?? missing}.json`,
    `/runtemplate/${owner?.template ?? missing}/preview.json`,
    `/credential/${owner?.credential ?? missing}.json`,
    `/job/${owner?.job ?? missing}.json`,
    `/job/${owner?.job ?? missing}/output.json`,
    `/job/${owner?.job ?? missing}.html`,
    `/artifact/${owner?.artifact ?? missing}`,
  ];
  const absent = paths(null);
  const told = ({ status, text }: Awaited<ReturnType<Client['get']>>) =>
    `${status} ${text.replace(/"request_id":"[^"]*"|[0-9a-f-]{36}/g, '').replace(/\d+/g, 'N')}`;
  for (const [index, path] of paths(other).entries()) {
    const [hidden, nothing] = [await own.companyAdmin.get(path), await own.companyAdmin.get(absent[index] as string)];
    if (hidden.status !== 404) return `GET ${path} got ${hidden.status}`;
    if (told(hidden) !== told(nothing)) return `GET ${path}: ${hidden.text}\nfor nothing: ${nothing.text}`;
  }
  for (const list of ['companies', 'runtemplates', 'credentials', 'jobs', 'tasks', 'eventrules', 'pauses']) {
    const { json } = await own.companyAdmin.get(`/${list}.json?limit=1000`);
    const companies = json.map((row: Record<string, number>) => (list === 'companies' ? row['id'] : row['company_id']));
    if (companies.some((id: number) => id !== own.company)) return `GET /${list}.json lists records of others`;
  }
  return null;
};
const missing = 999_999_999;

/** Runs an App as a template of a company. @returns the job. */
const boundedOutput: Proof = async ({ own, target }) => {
  const app = await target.addShellApp('head -c 300000 /dev/zero | tr "\\0" x');
  const template = { name: 'Loud', company_id: own.company, app_id: app, interval: 'none' };
  const { id: runtemplate_id } = await own.manager.save('runtemplate', template);
  const { id } = await own.operator.save('job', { runtemplate_id });
  const { stdout } = await own.operator.endOfJob(id);
  return stdout.length < 70_000 ? null : `${stdout.length} bytes of output were stored`;
};

/** Lets a job of one company try to reach one of another, where each has a user of its own; only root can start those. */
const closedByTheKernel: Proof = async ({ target }) =>
  process.getuid?.() === 0 ? reachOtherCompanies.attempt(target) : null;

/** Lets a job request the service itself, and the address from which clouds hand credentials out. */
const reachesNoPrivateAddress: Proof = async ({ own, target }) => {
  for (const url of ['http://localhost/', 'http://169.254.169.254/latest/meta-data/']) {
    const { id: app_id } = await target.admin.save('app', { name: 'Request', executable: url });
    const template = { name: 'Request', company_id: own.company, app_id, interval: 'none', executor: 'http' };
    const { id: runtemplate_id } = await own.manager.save('runtemplate', template);
    const { id } = await own.operator.save('job', { runtemplate_id });
    const { reason } = await own.operator.endOfJob(id);
    if (!/belongs to this machine or its network/.test(reason)) return `a request to ${url} ended with: ${reason}`;
  }
  return null;
};

/** Writes a program of the host into a list of actions. */
const writesCommand = ({ own }: Parameters<Proof>[0]) =>
  own.manager.post(`/runtemplate/${own.template}.json`, { on_failure: [{ action: 'command', program: '/bin/true' }] });

/** The table "What separates companies": each row, by its first cell. */
export const separation: Readonly<Record<string, SeparationRow>> = {
  'API, pages, commands with `--as`': {
    records: {
      'what the caller may not see is 404': all(
        othersAreMissing,
        denied(
          ({ own, other }) => own.companyAdmin.delete(`/runtemplate/${other.template}.json`),
          ({ own, other }) => own.companyAdmin.post(`/credential/${other.credential}.json`, { name: 'Mine' }),
          ({ own, other }) => own.companyAdmin.post('/job/', { id: other.job, state: 'cancelled' }),
        ),
        invalid(({ own, other }) =>
          own.manager.post(`/runtemplate/${own.template}.json`, { credentials: [other.credential] }),
        ),
      ),
      'Every request is decided by one table': async ({ world, stranger, other }) => {
        const { code, err } = await world.cli.command(`runtemplate:get ${other.template} --as ${stranger.login}`);
        return code === 1 && /there is no|no such|not found/i.test(err) ? null : `a command ended with ${code}: ${err}`;
      },
    },
    processes: {},
    resources: {
      'Bodies, lists': async ({ own }) => {
        const body = await own.manager.post('/credential/', { name: 'x'.repeat(2_000_000), company_id: own.company });
        if (body.status !== 413) return `a body of 2 MB got ${body.status}`;
        const list = await own.manager.get('/runtemplates.json?limit=1000000');
        return list.status === 400 ? null : `a list of a million got ${list.status}`;
      },
    },
  },
  '`native` executor': {
    records: {
      'Output is masked with what the attempt was given': async ({ own }) => {
        const { stdout } = (await own.viewer.get(`/job/${own.job}.json`)).json;
        return stdout === 'text ••••••••\n' ? null : `the output is ${stdout}`;
      },
    },
    processes: { 'are closed to those of others by the kernel': closedByTheKernel },
    resources: { output: boundedOutput },
  },
  '`external` executor': {
    records: {
      'A worker gets what its claim hands out': async ({ own }) => {
        const { id } = await own.operator.save('job', { runtemplate_id: own.external });
        const { text, json } = await own.operator.post('/job/', { id, state: 'running' });
        if (text.includes(secret)) return 'a claim hands out a secret';
        return json.ping_url === undefined ? `a claim hands out no ping_url: ${text}` : null;
      },
    },
    processes: {},
    resources: {},
  },
  '`agent` executor': agentProofs.separation,
  // It takes an engine, so the tests of the executor show it.
  '`docker` and `podman` executors': { records: {}, processes: {}, resources: {} },
  '`http` executor': {
    records: {},
    processes: { 'They reach public addresses only': reachesNoPrivateAddress },
    resources: {},
  },
  Actions: {
    records: {},
    processes: { 'only admins may write it into a list': denied(writesCommand) },
    resources: {
      'a list has at most 50 actions': invalid(({ own }) =>
        own.manager.post(`/runtemplate/${own.template}.json`, {
          on_failure: Array.from({ length: 51 }, () => ({ action: 'disable' })),
        }),
      ),
    },
  },
  // Nothing separates what is the program itself, so nothing is to be shown.
  'Functions of an embedding program': { records: {}, processes: {}, resources: {} },
};
