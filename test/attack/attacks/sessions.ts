import { checkedFetch } from '../../support/http/checked-fetch.ts';
import { type Attack, NotTried } from '../attack.ts';
import type { Target, User } from '../target.ts';

type Headers = Readonly<Record<string, string>>;

const evil = 'https://evil.example';
const page = { 'sec-fetch-site': 'same-origin' };

/** Sends a request to the paths of sessions, or to another path of the service. */
export async function sendFromPage(
  { url }: Target,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Headers; body?: unknown } = {},
): Promise<Response> {
  const place = url.replace(/\/api\/v1$/, path.startsWith('/api/v1') ? '' : '/console/api');
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return checkedFetch(place + path, { method, headers: { 'content-type': 'application/json', ...headers }, ...sent });
}

/** Signs in on a page. @returns the cookie. @throws NotTried where the service has no pages. */
export async function signInOnPage(target: Target, { login, password }: User, headers: Headers = {}): Promise<string> {
  const body = { login, password };
  const response = await sendFromPage(target, '/session', { method: 'POST', headers: { ...page, ...headers }, body });
  if (response.status === 404) throw new NotTried('no plugin of the service has pages');
  const [cookie] = response.headers.getSetCookie();
  if (response.status !== 200 || !cookie) throw new Error(`${login} cannot sign in: ${response.status}`);
  return cookie.split(';')[0] as string;
}

async function statusOf(target: Target, cookie: string): Promise<number> {
  return (await sendFromPage(target, '/session', { headers: { cookie } })).status;
}

const exchanged: Attack = {
  claim: 'A session is no token and a token no session, and the cookie counts for the pages of the service alone',
  attempt: async (target) => {
    const user = await target.addUser('viewer');
    const cookie = await signInOnPage(target, user);
    const [name, secret] = cookie.split('=') as [string, string];
    const { authorization } = user.client.headers;
    const basic = `Basic ${Buffer.from(`${user.login}:${user.password}`).toString('base64')}`;
    const attempts: readonly (readonly [path: string, headers: Headers])[] = [
      ['/api/v1/apps.json', { cookie, ...page }],
      ['/api/v1/apps.json', { authorization: `Bearer ${secret}` }],
      ['/apps.json', { cookie: `${name}=${authorization.replace('Bearer ', '')}` }],
      ['/apps.json', { authorization }],
      ['/apps.json', { authorization: basic }],
    ];
    for (const [path, headers] of attempts) {
      const { status } = await sendFromPage(target, path, { headers });
      if (status !== 401) return `${path} with ${Object.keys(headers).join(' and ')} got ${status}`;
    }
    return null;
  },
};

const foreignPages: Attack = {
  claim: 'A page of another site or of a sibling changes nothing by the session of a user, and signs no user in',
  attempt: async (target) => {
    const user = await target.addUser('editor');
    const cookie = await signInOnPage(target, user);
    const own = new URL(target.url).origin;
    const sites = ['cross-site', 'same-site', 'none', 'same-origin, cross-site', '', null];
    const origins = [evil, 'null', own.replace(/^http/, 'ftp'), `${own}.evil.example`, null];
    for (const site of sites)
      for (const origin of site === null ? origins : [own, ...origins]) {
        const headers = {
          cookie,
          ...(site !== null && { 'sec-fetch-site': site }),
          ...(origin !== null && { origin }),
        };
        const said = `Sec-Fetch-Site ${site} and Origin ${origin}`;
        const saved = await sendFromPage(target, '/topic/', { method: 'POST', headers, body: { name: `by ${said}` } });
        if (saved.status !== 403) return `a change with ${said} got ${saved.status}`;
        const ended = await sendFromPage(target, '/session', { method: 'DELETE', headers });
        if (ended.status !== 403) return `a sign-out with ${said} got ${ended.status}`;
        const body = { login: user.login, password: user.password };
        const begun = await sendFromPage(target, '/session', { method: 'POST', headers, body });
        if (begun.status !== 403) return `a sign-in with ${said} got ${begun.status}`;
      }
    const left = await statusOf(target, cookie);
    return left === 200 ? null : `the session itself got ${left}`;
  },
};

const fixation: Attack = {
  claim:
    'A session that was planted before a sign-in, or read before a sign-out or another sign-in, is worth nothing afterwards',
  attempt: async (target) => {
    const [victim, attacker] = [await target.addUser('viewer'), await target.addUser('viewer')];
    const planted = await signInOnPage(target, attacker);
    const made = `${planted.split('=')[0]}=hors_${'A'.repeat(43)}`;
    if ((await signInOnPage(target, victim, { cookie: made })) === made)
      return 'a session that was never begun was taken over';
    const first = await signInOnPage(target, victim, { cookie: planted });
    const second = await signInOnPage(target, victim, { cookie: first });
    await sendFromPage(target, '/session', { method: 'DELETE', headers: { cookie: second, ...page } });
    for (const [name, cookie] of Object.entries({ made, planted, first, second })) {
      const status = await statusOf(target, cookie);
      if (status !== 401) return `the cookie "${name}" got ${status}`;
    }
    return null;
  },
};

const tossedCookies: Attack = {
  claim: 'Two session cookies sign no user in, so that a sibling site cannot have a page act for another user',
  attempt: async (target) => {
    const [victim, attacker] = [await target.addUser('viewer'), await target.addUser('viewer')];
    const [own, tossed] = [await signInOnPage(target, victim), await signInOnPage(target, attacker)];
    for (const cookie of [`${tossed}; ${own}`, `${own}; ${tossed}`, `${own}; ${own}`]) {
      const status = await statusOf(target, cookie);
      if (status !== 401) return `two cookies got ${status}`;
    }
    const left = await statusOf(target, own);
    return left === 200 ? null : `the session itself got ${left}`;
  },
};

export const sessionAttacks = [exchanged, foreignPages, fixation, tossedCookies];
