import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Attack, NotTried } from '../attack.ts';
import { sendRaw } from '../raw-request.ts';
import { findLongBlock } from '../service-metrics.ts';
import type { Target, Tenant, User } from '../target.ts';
import { signInOnPage } from './sessions.ts';

const page = { 'sec-fetch-site': 'same-origin' };

/** What the pages ask for beyond the API, each with a query that it answers. */
const hiddenPaths = [
  '/console/model',
  '/console/search?q=a',
  '/console/preview?interval=daily',
  '/console/cron?cron=0%205%20*%20*%20*',
  '/console/why?task_id=1&runtemplate_id=1',
  '/console/days?runtemplate_id=1',
  '/console/tokens',
  '/console/memberships?user_id=1',
];

/** Sends a request to the paths of the pages. */
const ask = (target: Target, path: string, cookie: string, method = 'GET', headers = {}) =>
  sendRaw(target, `/console/api${path}`, { method, headers: { cookie, ...headers } });

/** @throws NotTried where the pages have no routes of their own. */
async function signIn(target: Target, user: User): Promise<string> {
  const cookie = await signInOnPage(target, user);
  const { status } = await ask(target, '/console/model', cookie);
  if (status === 404) throw new NotTried('the console is not among the plugins of the service');
  return cookie;
}

/** Signs in a user who is a member of a company. */
async function memberOf(target: Target, { id }: Tenant, role: string): Promise<{ user: User; cookie: string }> {
  const user = await target.addUser();
  await target.admin.save(`company/${id}/user`, { user_id: user.id, role });
  return { user, cookie: await signIn(target, user) };
}

const otherCompanies: Attack = {
  claim: 'What the console asks for tells a member of a company nothing of another one, whatever ids it is asked about',
  attempt: async (target) => {
    const [own, other] = [await target.addTenant(), await target.addTenant()];
    const app = await target.addShellApp('true');
    const template = await target.addTemplate(other, app, { name: `Of ${other.code}`, interval: 'daily' });
    const calendar = await other.manager.save('calendar', { name: `Of ${other.code}`, company_id: other.id });
    const { cookie } = await memberOf(target, own, 'admin');
    const time = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&slots=24';
    const paths = [
      ...hiddenPaths,
      `/console/search?q=${other.code}`,
      ...[template, calendar.id, other.id].map((id) => `/console/search?q=${id}`),
      `/console/search?q=Of&resource=RunTemplate&company_id=${other.id}`,
      `/console/why?runtemplate_id=${template}`,
      `/console/days?runtemplate_id=${template}`,
      `/console/preview?interval=daily&calendar_id=${calendar.id}`,
      `/console/preview?interval=daily&jitter=1h&runtemplate_id=${template}&company_id=${other.id}`,
      ...['', `&company_id=${other.id}`, `&runtemplate_id=${template}`].flatMap((filter) => [
        `/tasks/timeline.json?${time}${filter}`,
        `/outlook.json?${filter.slice(1)}`,
      ]),
    ];
    for (const path of paths) {
      const { status, text } = await ask(target, path, cookie);
      if (status >= 500) return `${path} got ${status}`;
      const named = text.includes(other.code) ? other.code : null;
      const counted = new RegExp(`"(?:company_|runtemplate_|calendar_)?id":(?:${other.id}|${template})\\b`).exec(text);
      if (status < 400 && named) return `${path} names ${named}`;
      // A template and a company of the member may have the same id as one of another kind.
      if (status < 400 && counted && /timeline|outlook|why|days|company_id/.test(`${path}${counted[0]}`))
        return `${path} holds ${counted[0]}`;
    }
    return null;
  },
};

const othersTokens: Attack = {
  claim: 'A user lists and ends no session or token of another one, and only pages of the service end one’s own',
  attempt: async (target) => {
    const [victim, attacker] = [await target.addUser(), await target.addUser('admin')];
    const [own, foreign] = [await signIn(target, victim), await signIn(target, attacker)];
    const tokens = JSON.parse((await ask(target, '/console/tokens', own)).text) as readonly { readonly id: number }[];
    const seen = JSON.parse((await ask(target, '/console/tokens', foreign)).text) as typeof tokens;
    const both = tokens.find(({ id }) => seen.some((each) => each.id === id));
    if (both) return `token ${both.id} is listed for another user`;
    for (const { id } of tokens) {
      for (const shown of [id, `0${id}`, `${id}.json`, `%3${String(id).slice(0, 1)}`, `${seen[0]?.id}/../${id}`]) {
        const { status } = await ask(target, `/console/token/${shown}`, foreign, 'DELETE', page);
        if (status < 400) return `token ${shown} of another user: ${status}`;
      }
      for (const headers of [{}, { 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
        const { status } = await ask(target, `/console/token/${id}`, own, 'DELETE', headers);
        if (status !== 403) return `a page of another site ended token ${id}: ${status}`;
      }
    }
    const { status } = await ask(target, '/session', own);
    if (status !== 200) return `the session of the victim got ${status}`;
    const api = await victim.client.get('/index.json');
    return api.status === 200 ? null : `the token of the victim got ${api.status}`;
  },
};

const anonymous: Attack = {
  claim: 'Without a session, and with one at the API, none of what the console asks for is answered',
  attempt: async (target) => {
    const cookie = await signIn(target, await target.addUser('admin'));
    for (const path of [...hiddenPaths, '/console/token/1', '/outlook.json', '/tasks/timeline.json'])
      for (const [place, sent] of [
        [`/console/api${path}`, ''],
        [`/console/api${path}`, `${cookie}x`],
        [`/api/v1${path}`, cookie],
      ] as const) {
        const { status } = await sendRaw(target, place, { headers: { ...page, ...(sent && { cookie: sent }) } });
        if (status < 400) return `${place} got ${status} with ${sent ? 'a cookie' : 'none'}`;
      }
    return null;
  },
};

/** A year has ever fewer of them, down to none. */
const rarePatterns = [
  '0 0 31 2 *',
  '0 0 30 2 MON',
  '0 0 29 2 MON#5',
  '59 59 23 L 2 * 2999',
  '* * * * * * 1970',
  '*/59 */59 */23 31 4,6,9,11 *',
  `${Array.from({ length: 60 }, (_, minute) => minute).join()} * 31 2 *`,
];

const slowPatterns: Attack = {
  claim: 'Patterns that match seldom or never, and calendars that leave hardly a day, do not block the event loop',
  attempt: async (target) => {
    const tenant = await target.addTenant();
    const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
    const dates = [{ date: '2026-01-01', to: '2053-01-01', name: 'Closed' }];
    const calendar = { name: 'Seldom', company_id: tenant.id, weekdays, dates };
    const { id } = await tenant.manager.save('calendar', calendar);
    const { cookie } = await memberOf(target, tenant, 'manager');
    const queries = rarePatterns.flatMap((cron) => [
      { interval: 'custom', cron },
      { interval: 'custom', cron, timezone: 'America/St_Johns', deadline: '23:59', delay: '59m' },
    ]);
    const shut = ['skip', 'next', 'previous'].flatMap((day_off) => [
      { interval: 'minutely', day_off, calendar_id: String(id), company_id: String(tenant.id) },
      { interval: 'custom', cron: '* * * * * *', day_off, calendar_id: String(id), company_id: String(tenant.id) },
    ]);
    const send = (query: Record<string, string>) =>
      ask(target, `/console/preview?${new URLSearchParams(query)}`, cookie);
    const { result, block } = await findLongBlock(
      target,
      () => Promise.all([...queries, ...shut].map(async (query) => ({ query, ...(await send(query)) }))),
      0.5,
    );
    const failed = result.find(({ status }) => status >= 500);
    return failed ? `${JSON.stringify(failed.query)} got ${failed.status}` : block;
  },
};

const malformedQueries: Attack = {
  claim: 'Long and malformed queries of the console are refused, and none fails in the service',
  attempt: async (target) => {
    const cookie = await signIn(target, await target.addUser('admin'));
    const long = 'a'.repeat(6000);
    const values = [
      long,
      '%',
      '%zz',
      '%00',
      '%ff',
      '%ed%a0%80',
      '%25',
      '-1',
      '0',
      '1e9',
      'NaN',
      '[]',
      `${'%3B'.repeat(3000)}`,
    ];
    const time = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';
    const paths = values.flatMap((value) => [
      `/console/search?q=${value}`,
      `/console/search?q=a&limit=${value}`,
      `/console/search?q=a&q=${value}`,
      `/console/model?${value}=${value}`,
      `/console/cron?cron=${value}`,
      `/console/cron?cron=@daily&language=${value}`,
      `/console/preview?interval=custom&cron=${value}`,
      `/console/preview?interval=daily&timezone=${value}&jitter=${value}`,
      `/console/preview?interval=daily&starts_at=${value}&runtemplate_id=${value}`,
      `/console/token/${value}`,
      `/console/days?runtemplate_id=${value}`,
      `/console/days?runtemplate_id=1&days=${value}`,
      `/console/why?task_id=${value}`,
      `/console/why?runtemplate_id=1,${value}`,
      `/outlook.json?limit=${value}`,
      `/tasks/timeline.json?${time}&slots=${value}`,
      `/tasks/timeline.json?from=${value}&to=${value}`,
      `/tasks/timeline.json?${time}&slots=1&runtemplate_id=${value}&timezone=${value}`,
    ]);
    const { result, block } = await findLongBlock(target, async () => {
      for (const path of paths) {
        const { status } = await ask(target, path, cookie);
        if (status >= 500) return `${path.slice(0, 80)} got ${status}`;
        if (status < 400 && path.includes(long) && !path.startsWith('/console/model'))
          return `${path.slice(0, 80)} got ${status}`;
      }
      return null;
    });
    return result ?? block;
  },
};

const slowReaders: Attack = {
  claim: 'Clients that do not read what the console has asked for keep no other client from it',
  attempt: async (target) => {
    const cookie = await signIn(target, await target.addUser('admin'));
    const { hostname, port } = new URL(target.url);
    const sockets: Socket[] = [];
    try {
      for (let count = 0; count < 100; count++) {
        const socket = connect({ host: hostname, port: Number(port) });
        socket.on('error', () => undefined);
        sockets.push(socket);
        await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
        socket.pause();
        const head = `GET /console/api/console/model HTTP/1.1\r\nHost: ${hostname}\r\nCookie: ${cookie}\r\n\r\n`;
        socket.write(head.repeat(20));
      }
      const { status } = await ask(target, '/console/model', cookie);
      return status === 200 ? null : `another client got ${status}`;
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  },
};

export const consoleAttacks = [otherCompanies, othersTokens, anonymous, slowPatterns, malformedQueries, slowReaders];
