import http from 'node:http';
import { Topic, trustedActor } from '@horarium/core';
import { AuditedStore } from '#core/audit/audited-store';
import { newRow } from '#core/store/table';
import { copyOf } from '../../support/faults/forged-entry.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import type { Client } from '../target.ts';
import { agentProofs } from './agents.ts';
import { type Cast, proxyAddress, secret } from './cast.ts';
import { all, allowed, create, denied, invalid, type Proof, type Proofs, type SampleKind } from './promise.ts';

interface TrustRow {
  readonly may: Proofs;
  readonly mayNot: Proofs;
}

type Pick = (cast: Cast) => Client;
const superAdmin: Pick = (cast) => cast.superAdmin.client;
const admin: Pick = (cast) => cast.admin.client;
const editor: Pick = (cast) => cast.editor.client;
const companyAdmin: Pick = (cast) => cast.own.companyAdmin;
const manager: Pick = (cast) => cast.own.manager;
const operator: Pick = (cast) => cast.own.operator;
const viewer: Pick = (cast) => cast.own.viewer;
const stranger: Pick = (cast) => cast.stranger.client;

const creating = (who: Pick, kind: SampleKind) => (cast: Cast) => create(who(cast), kind, cast.own);
const creatingElsewhere = (who: Pick, kind: SampleKind) => (cast: Cast) => create(who(cast), kind, cast.other);
const reading = (who: Pick, path: (cast: Cast) => string) => (cast: Cast) => who(cast).get(path(cast));
const changing = (who: Pick, path: (cast: Cast) => string, fields: object) => (cast: Cast) =>
  who(cast).post(path(cast), fields);

const ownCompany = ({ own }: Cast) => `/company/${own.company}.json`;
const ownTemplate = ({ own }: Cast) => `/runtemplate/${own.template}.json`;
const ownCredential = ({ own }: Cast) => `/credential/${own.credential}.json`;
const ownApp = ({ own }: Cast) => `/app/${own.app}.json`;
const ownJob = ({ own }: Cast) => `/job/${own.job}.json`;
const otherTemplate = ({ other }: Cast) => `/runtemplate/${other.template}.json`;
const aSuperAdmin = ({ superAdmin: { id } }: Cast) => `/user/${id}`;

/** The records that could hold a secret, as a caller gets them. */
const secretsOf =
  (who: Pick): Proof =>
  async (cast) => {
    for (const path of [
      ownCredential,
      ownTemplate,
      ownJob,
      () => '/auditlog.json?limit=1000',
      () => '/credentials.json',
    ])
      if ((await who(cast).get(path(cast))).text.includes(secret)) return `${path(cast)} shows a secret`;
    return null;
  };

/** A template of the own company whose App may be run natively only. */
const nativeTemplate = async ({ target, own }: Cast) => {
  const { id: app_id } = await target.admin.save('app', { name: 'Native', executable: 'true', executors: ['native'] });
  const fields = { name: 'Native', company_id: own.company, app_id, interval: 'none' };
  return (await own.manager.save('runtemplate', fields)).id as number;
};

/** Schedules a job, and reports it as the external worker that claimed it. */
const externalJob = async ({ own }: Cast): Promise<number> => {
  const { id } = await own.operator.save('job', { runtemplate_id: own.external });
  await own.operator.save('job', { id, state: 'running' });
  return id;
};
const report = (fields: object) => async (cast: Cast) =>
  cast.own.operator.post('/job/', { id: await externalJob(cast), ...fields });

/** Inserts an entry of the audit log past the service. */
const forgedEntry: Proof = async ({ world }) => {
  await world.execute(copyOf(1, { nonce: "'forged'" }));
  const { code, err } = await world.cli.command('audit:verify');
  await world.execute("delete from horarium_audit_log where nonce = 'forged'");
  return code === 1 && err.includes('inserted past the service') ? null : `audit:verify ended with ${code}: ${err}`;
};

const secretsInStore: Proof = async ({ world }) => {
  const tables = await world.execute("select name from sqlite_master where type = 'table'");
  for (const { name } of tables)
    if (JSON.stringify(await world.execute(`select * from "${name}"`)).includes(secret))
      return `${name} holds a secret`;
  return null;
};

/** What an entry of the log says that somebody with the vault key writes past the service: it verifies. */
const ownAuditEntry: Proof = async ({ world }) => {
  const store = new AuditedStore(await world.openStore(), async () => world.auditHmac);
  await store.transaction(trustedActor('nobody'), (tables) =>
    tables.of(Topic).insert([newRow(Topic, { name: 'by somebody with the vault key' })]),
  );
  const { code, err } = await world.cli.command('audit:verify');
  return code === 0 ? null : err;
};

/** Sends a request through a trusted proxy, or past it. @returns its status, and the address that the log says it came from. */
const forwarded = ({ target, own, world }: Cast, from: string): Promise<{ status: number; ip: unknown }> =>
  new Promise((resolve, reject) => {
    const headers = {
      host: 'jobs.example.com',
      'x-forwarded-proto': 'https',
      'x-forwarded-for': '198.51.100.1, 203.0.113.7',
      ...own.viewer.headers,
    };
    const request = http.get(`${target.url}/topics.json`, { localAddress: from, headers }, (response) => {
      response.resume();
      const id = response.headers['x-request-id'];
      const loggedAddress = () => world.log.find((each) => each['request_id'] === id && 'ip' in each)?.['ip'];
      eventually('the request is logged', loggedAddress)
        .then((ip) => resolve({ status: response.statusCode as number, ip }))
        .catch(reject);
    });
    request.on('error', reject);
  });

/** The table "Who is trusted with what": each row, by its first cell. */
export const trust: Readonly<Record<string, TrustRow>> = {
  'The operating-system user of the service, root': {
    may: { 'Everything: the database, the vault key': ownAuditEntry },
    mayNot: {},
  },
  'Anyone who can run `horarium` on the machine': {
    may: {
      'the commands act on the store directly': async ({ world, superAdmin: { id } }) => {
        const users = await world.run('user:list', '--limit', '1000');
        return users.some((user: { id: number }) => user.id === id) ? null : 'a command does not list a super_admin';
      },
    },
    mayNot: {},
  },
  '`super_admin`, `admin`': {
    may: {
      'they write Apps and credential types': allowed(
        ...[superAdmin, admin].flatMap((who) => [creating(who, 'app'), creating(who, 'credential_type')]),
      ),
      'all records of all companies': allowed(
        ...[superAdmin, admin].flatMap((who) => [
          reading(who, ownTemplate),
          reading(who, otherTemplate),
          creating(who, 'runtemplate'),
          creatingElsewhere(who, 'credential'),
          creating(who, 'company'),
        ]),
      ),
    },
    mayNot: {
      'Reading secrets': all(secretsOf(superAdmin), secretsOf(admin)),
      'changing what the audit log says': denied(
        (cast) => superAdmin(cast).post('/auditlog/1.json', { actor: 'nobody' }),
        (cast) => superAdmin(cast).delete('/auditlog/1.json'),
        (cast) => admin(cast).delete('/auditlog/1.json'),
      ),
      '`admin`: a `super_admin`': denied(
        changing(admin, (cast) => `${aSuperAdmin(cast)}.json`, { password: 'a password of the admin' }),
        changing(admin, (cast) => `${aSuperAdmin(cast)}/roles/`, { roles: [] }),
        changing(admin, ({ admin: { id } }) => `/user/${id}/roles/`, { roles: ['super_admin'] }),
        (cast) => admin(cast).delete(`${aSuperAdmin(cast)}.json`),
      ),
    },
  },
  '`editor`': {
    may: { Topics: allowed(creating(editor, 'topic')) },
    mayNot: {
      'Anything that runs': denied(
        creating(editor, 'app'),
        creating(editor, 'credential_type'),
        creating(editor, 'runtemplate'),
        creating(editor, 'credential'),
        changing(editor, ownApp, { executable: 'false' }),
        reading(editor, ownTemplate),
      ),
    },
  },
  'Admin of a company': {
    may: {
      'Its record': allowed(changing(companyAdmin, ownCompany, { name: 'Renamed' })),
      'its members': allowed(
        changing(companyAdmin, ({ own }) => `/company/${own.company}/user/`, { login: 'admin', role: 'viewer' }),
      ),
      'what a manager may': allowed(creating(companyAdmin, 'runtemplate'), creating(companyAdmin, 'credential')),
    },
    mayNot: {
      'Other companies': denied(
        reading(companyAdmin, otherTemplate),
        changing(companyAdmin, ({ other }) => `/company/${other.company}.json`, { name: 'Taken' }),
        changing(companyAdmin, ({ other }) => `/company/${other.company}/user/`, { login: 'admin' }),
        creating(companyAdmin, 'company'),
      ),
      Apps: denied(creating(companyAdmin, 'app'), changing(companyAdmin, ownApp, { name: 'Mine' })),
      'what its jobs run': all(
        denied(changing(companyAdmin, ownApp, { executable: 'id' })),
        invalid(changing(companyAdmin, ownTemplate, { executable: 'id' })),
      ),
    },
  },
  'Manager of a company': {
    may: {
      'Its templates, credentials and rules': allowed(
        creating(manager, 'runtemplate'),
        creating(manager, 'credential'),
      ),
      'values of declared variables, times, retries': allowed(
        changing(manager, ownTemplate, { environment: { TEXT: 'text' }, delay: 1, max_attempts: 2 }),
        changing(manager, ownTemplate, { delay: 0, max_attempts: 1 }),
      ),
    },
    mayNot: {
      'Which variables exist': all(
        denied(changing(manager, ownApp, { environment: { MORE: {} } }), creating(manager, 'credential_type')),
        invalid(changing(manager, ownTemplate, { environment: { MORE: 'x' } })),
      ),
      'programs and their arguments': all(
        denied(creating(manager, 'app'), changing(manager, ownApp, { arguments: ['-c', 'id'] })),
        invalid(changing(manager, ownTemplate, { arguments: ['-c', 'id'] })),
      ),
      'executors that the App excludes': invalid(async (cast) => {
        const id = await nativeTemplate(cast);
        return manager(cast).post('/runtemplate/', { id, executor: 'external' });
      }),
    },
  },
  'Operator of a company': {
    may: {
      'Running, cancelling and reporting its jobs': allowed(
        async ({ own }) => {
          const { id } = await own.operator.save('job', { runtemplate_id: own.external });
          return own.operator.post('/job/', { id, state: 'cancelled' });
        },
        report({ stdout: 'half way\n' }),
      ),
      'values and the executor of one job': allowed(({ own }) =>
        own.operator.post('/job/', { runtemplate_id: own.template, environment: { TEXT: 'once' } }),
      ),
    },
    mayNot: {
      'Its templates and credentials': denied(
        creating(operator, 'runtemplate'),
        creating(operator, 'credential'),
        changing(operator, ownTemplate, { name: 'Mine' }),
        (cast) => operator(cast).delete(ownCredential(cast)),
      ),
      'executors that the App excludes': invalid(async (cast) => {
        const runtemplate_id = await nativeTemplate(cast);
        return operator(cast).post('/job/', { runtemplate_id, executor: 'external' });
      }),
      'fewer restrictions than those of the template': invalid(async (cast) => {
        const { target, own } = cast;
        const app = { name: 'Limited', executable: 'true', executors: ['native', 'http'] };
        const { id: app_id } = await target.admin.save('app', app);
        const fields = {
          name: 'Limited',
          company_id: own.company,
          app_id,
          executor_options: { private_network: true },
        };
        const { id: runtemplate_id } = await own.manager.save('runtemplate', { ...fields, interval: 'none' });
        return operator(cast).post('/job/', { runtemplate_id, executor: 'http' });
      }),
    },
  },
  'Viewer of a company, a user without a membership': {
    may: {
      'Reading what belongs to the company': all(
        allowed(reading(viewer, ownTemplate), reading(viewer, ownJob), reading(viewer, ownCompany)),
        denied(creating(viewer, 'runtemplate'), reading(viewer, otherTemplate), ({ own }) =>
          own.viewer.post('/job/', { runtemplate_id: own.template }),
        ),
      ),
      nothing: denied(
        reading(stranger, ownTemplate),
        reading(stranger, ownJob),
        reading(stranger, ownCompany),
        creating(stranger, 'topic'),
      ),
    },
    mayNot: {},
  },
  'A job': {
    may: {
      'with the variables that it was given': async ({ own, target }) => {
        const app = await target.addShellApp('env', { environment: { TEXT: {}, UNSET: {} } });
        const fields = {
          name: 'Env',
          company_id: own.company,
          app_id: app,
          interval: 'none',
          environment: { TEXT: 'x' },
        };
        const { id: runtemplate_id } = await own.manager.save('runtemplate', fields);
        const { id } = await own.operator.save('job', { runtemplate_id });
        const { stdout } = await own.operator.endOfJob(id);
        const names = [...stdout.matchAll(/^(\w+)=/gm)].map(([, name]) => name as string);
        const foreign = names.filter(
          (name) => !/^(TEXT|PATH|HOME|LOGNAME|USER|LANG|TZ|PWD|OLDPWD|SHLVL|_|HORARIUM_\w+)$/.test(name),
        );
        return names.includes('TEXT') && foreign.length === 0 ? null : `the job got ${names.join(', ')}`;
      },
    },
    mayNot: {},
  },
  'An event source, an external worker': {
    may: { 'The rows or reports that it sends': allowed(report({ exit_code: 0, stdout: 'done\n' })) },
    mayNot: {
      'never code or a selector of files': all(
        invalid(
          ...['../outside', '/etc/passwd', 'a/../../b'].map((filename) =>
            report({ artifacts: [{ filename, content: 'eA==' }] }),
          ),
          report({ command: 'id' }),
        ),
        async (cast) => {
          const id = await externalJob(cast);
          await cast.own.operator.save('job', { id, exit_code: 0, stdout: '<script>alert(1)</script>' });
          const { text } = await cast.own.viewer.get(`/job/${id}.html`);
          return text.includes('<script>alert') ? 'a page holds the markup of a report' : null;
        },
      ),
    },
  },
  'An agent': { may: agentProofs.may, mayNot: agentProofs.mayNot },
  'The database': {
    may: {},
    mayNot: { 'Secrets in clear': secretsInStore, 'the audit log, whose entries it cannot forge': forgedEntry },
  },
  'A proxy in `HORARIUM_TRUST_PROXY`': {
    may: {
      'The address of the client, and that it came by HTTPS': async (cast) => {
        const trusted = await forwarded(cast, proxyAddress);
        if (trusted.status !== 200 || trusted.ip !== '203.0.113.7') return `by the proxy: ${JSON.stringify(trusted)}`;
        const { status } = await forwarded(cast, '127.0.0.3');
        return status === 403 ? null : `past the proxy: ${status}`;
      },
    },
    mayNot: {},
  },
};
