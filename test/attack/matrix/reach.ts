import { signWebhook } from '../../../plugins/standard-webhooks/standard-webhooks.ts';
import { checkedFetch } from '../../support/http/checked-fetch.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { sendFromPage, signInOnPage } from '../attacks/sessions.ts';
import { agentProofs } from './agents.ts';
import { listItems } from './document.ts';
import { all, allowed, denied, type Proof, type Proofs } from './promise.ts';
import { trust } from './trust.ts';

/** Runs a shell script with a placeholder as a manager fills it in. @returns the output. */
const runScript =
  (script: string, text: string) =>
  async ({ own, target }: Parameters<Proof>[0]) => {
    const app = await target.addShellApp(script, { environment: { TARGET: {} } });
    const template = { name: 'Script', company_id: own.company, app_id: app, interval: 'none' };
    const fields = { ...template, environment: { TARGET: text } };
    const { id: runtemplate_id } = await own.manager.save('runtemplate', fields);
    const { id } = await own.operator.save('job', { runtemplate_id });
    return (await own.operator.endOfJob(id)).stdout as string;
  };

/** Shows that the paths which the document names, and signing in, are all that a client gets without credentials. */
const openPaths: Proof = async ({ target }) => {
  const item = listItems('What an attacker can do at most').find((each) => each.startsWith('**Without credentials**'));
  const named = [...(/\(([^)]*)\)/.exec(item ?? '')?.[1] ?? '').matchAll(/`([^`]+)`/g)].map(
    ([, path]) => path as string,
  );
  const { json } = await target.admin.get('/openapi.json');
  const origin = new URL(target.url).origin;
  const found = new Set<string>();
  for (const [path, operations] of Object.entries<Record<string, unknown>>(json.paths)) {
    if (!('get' in operations)) continue;
    const server = /^\/(?:healthz|readyz|docs|metrics)\b/.test(path) ? origin : target.url;
    const { status } = await checkedFetch(server + path.replace('{suffix}', 'json').replaceAll(/\{\w+\}/g, '1'));
    if (status !== 401) found.add(path.replace('.{suffix}', ''));
  }
  const unexpected = [...found].filter((path) => !named.includes(path));
  const lacking = named.filter((path) => !found.has(path));
  return unexpected.length + lacking.length === 0
    ? null
    : `without credentials: ${unexpected.join(', ')}; not as said: ${lacking.join(', ')}`;
};

const strangersLists: Proof = async ({ target, stranger }) => {
  for (const list of ['apps', 'credential_types', 'topics']) {
    await target.admin.save('topic', { name: 'Global' });
    const { status } = await stranger.client.get(`/${list}.json`);
    if (status !== 200) return `GET /${list}.json got ${status}`;
  }
  for (const list of ['companies', 'runtemplates', 'credentials', 'jobs', 'tasks', 'eventrules', 'pauses']) {
    const { status, json } = await stranger.client.get(`/${list}.json`);
    if (status === 200 && json.length > 0) return `GET /${list}.json lists ${json.length} records`;
  }
  const { json: users } = await stranger.client.get('/users.json');
  return users.length === 1 && users[0].id === stranger.id ? null : `GET /users.json lists ${users.length} users`;
};

/** Reports a job by the ping address of its template, without credentials. */
const reportsByPing: Proof = async ({ own }) => {
  // Of its own, because a ping is for the attempt that runs, which others of the template may.
  const fields = { name: 'Pinged', company_id: own.company, app_id: own.app, interval: 'none', executor: 'external' };
  const { id: runtemplate_id } = await own.manager.save('runtemplate', fields);
  const { json } = await own.manager.post(`/runtemplate/${runtemplate_id}/ping.json`, {});
  const { id } = await own.operator.save('job', { runtemplate_id });
  const { status } = await checkedFetch(`${json.ping_url}/7`);
  const { state, exit_code } = await own.operator.endOfJob(id);
  return state === 'failed' && exit_code === 7 ? null : `the ping got ${status}, and the job is ${state}`;
};

/** Sets the cookies of a sibling site in the browser of a user: a second one beside their own, and the only one. */
const setsCookies: Proof = async ({ target }) => {
  const [user, sibling] = [await target.addUser('viewer'), await target.addUser('viewer')];
  const [own, set] = [await signInOnPage(target, user), await signInOnPage(target, sibling)];
  const read = (cookie: string) => sendFromPage(target, '/session', { headers: { cookie } });
  const both = await read(`${set}; ${own}`);
  const alone = (await (await read(set)).json()) as { readonly user: { readonly id: number } };
  return both.status === 401 && alone.user.id === sibling.id
    ? null
    : `two cookies got ${both.status}, and the other one is that of user ${alone.user.id}`;
};

/** Sends a webhook to an event source, without credentials: signed by its key, again, and signed by another. */
const startsByWebhook: Proof = async ({ target, own }) => {
  const [secret, other] = [7, 8].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`) as [
    string,
    string,
  ];
  const name = `matrix ${own.template}`;
  const source = await target.admin.save('eventsource', { name, kind: 'webhook', options: { secret } });
  await target.admin.save('eventrule', { event_source_id: source.id, runtemplate_id: own.template });
  const send = (key: string) => {
    const message = { id: 'msg_1', timestamp: Math.floor(Date.now() / 1000), body: '{"type": "order.paid"}' };
    const headers = { 'content-type': 'application/json', ...signWebhook(message, [key]) };
    const request = { method: 'POST', body: message.body, headers };
    return checkedFetch(new URL(`/hook/${encodeURIComponent(name)}`, target.url), request);
  };
  const first = await send(secret);
  const answers = [first, await send(secret), await send(other)].map(({ status }) => status);
  const { event_id } = (await first.json()) as { event_id: number };
  const { jobs } = await eventually('the event is done', async () => {
    const { json } = await own.viewer.get(`/event/${event_id}.json`);
    return json.state === 'done' && json;
  });
  const isAsSaid = `${answers}` === '202,202,403' && jobs.length === 1;
  return isAsSaid ? null : `the webhooks got ${answers}, and made ${jobs.length} jobs`;
};

/** The list "What an attacker can do at most": each item, by the words that it begins with. */
export const reach: Readonly<Record<string, Proofs>> = {
  'Without credentials': { 'learn that the service runs': openPaths },
  'Anyone with the key of a webhook': { 'start what reacts to its event source': startsByWebhook },
  'Anyone with a ping address': { 'report attempts of that template as done': reportsByPing },
  'An agent that is taken over': agentProofs.reach,
  'Another site of the same domain': { 'it can have the pages act as a user of its own': setsCookies },
  'A user without a membership': { 'all that is global: Apps, credential types, Topics': strangersLists },
  'A viewer': {
    'read its records, and the output and artifacts of its jobs': all(
      allowed(
        ({ own }) => own.viewer.get(`/job/${own.job}/output.json`),
        ({ own }) => own.viewer.get(`/artifact/${own.artifact}`),
      ),
      denied(({ own }) => own.viewer.post(`/runtemplate/${own.template}.json`, { name: 'Mine' })),
    ),
  },
  'An operator': {
    'claim external jobs': allowed(async ({ own }) => {
      const { id } = await own.operator.save('job', { runtemplate_id: own.external });
      return own.operator.post('/job/', { id, state: 'running' });
    }),
  },
  'A manager': {
    'lets managers run code as the user of jobs': async (cast) => {
      const output = await runScript('echo {TARGET}', 'x; echo $((6 * 7))')(cast);
      return output === 'x\n42\n' ? null : `the shell printed ${output}`;
    },
    'hand it over as an argument': async (cast) => {
      const output = await runScript('echo "$TARGET"', 'x; echo $((6 * 7))')(cast);
      return output === 'x; echo $((6 * 7))\n' ? null : `the shell printed ${output}`;
    },
  },
  'An admin of a company': {
    'Adding a member by login, which must be exact, tells whether it exists': async ({ own, superAdmin }) => {
      const add = (login: string) => own.companyAdmin.post(`/company/${own.company}/user/`, { login });
      const [existing, none] = [await add(superAdmin.login), await add('nobody-has-this-login')];
      return existing.status === 201 && none.status === 422 ? null : `${existing.status} and ${none.status}`;
    },
  },
  'An editor': { 'rename Topics': allowed(({ editor }) => editor.client.post('/topic/', { name: 'Renamed' })) },
  'An admin': {
    'run code as the users of jobs on every host': allowed(({ admin }) =>
      admin.client.post('/app/', { name: 'Any program', executable: '/bin/sh', arguments: ['-c', 'id'] }),
    ),
  },
  'Anyone who can write to the database': {
    'They cannot read secrets': trust['The database']?.mayNot['Secrets in clear'] as Proof,
    'insert sealed entries of the audit log unnoticed': trust['The database']?.mayNot[
      'the audit log, whose entries it cannot forge'
    ] as Proof,
  },
};
