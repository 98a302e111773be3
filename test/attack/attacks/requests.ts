import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { connect, type Socket } from 'node:net';
import { checkedFetch } from '../../support/http/checked-fetch.ts';
import { unfinished } from '../../support/http/unfinished-request.ts';
import { type Attack, NotTried } from '../attack.ts';
import { worldOf } from '../own-target.ts';
import { Client, type Target } from '../target.ts';

const hiddenProxies: Attack = {
  claim: 'A request that a proxy has forwarded over plain HTTP is refused',
  attempt: async ({ url, admin }) => {
    if (!url.startsWith('http:')) throw new NotTried('the service is reached over HTTPS');
    for (const header of ['X-Real-IP', 'Via', 'Forwarded', 'X-Forwarded-For']) {
      const { status } = await admin.get('/apps.json', { [header]: header === 'Via' ? '1.1 proxy' : '203.0.113.7' });
      if (status !== 403) return `a request with ${header} got ${status}`;
    }
    return null;
  },
};

const keptRefusals: Attack = {
  claim: 'A refused request uses up no idempotency key',
  attempt: async (target) => {
    const { id: company_id, manager } = await target.addTenant();
    const key = { 'idempotency-key': `refused-${company_id}` };
    await manager.post('/credential/', { company_id, values: {} }, key);
    const { status } = await manager.post('/credential/', { name: 'Valid', company_id, values: {} }, key);
    return status === 201 ? null : `the same key with a valid body got ${status}`;
  },
};

const storedRefusals: Attack = {
  claim: 'Refused requests under idempotency keys fill no store',
  attempt: async (target) => {
    const world = worldOf(target);
    const count = async () => (await world.execute('select id from horarium_idempotency_record')).length;
    const { id: company_id, operator, manager } = await target.addTenant();
    const before = await count();
    for (let number = 0; number < 50; number++) {
      const key = { 'idempotency-key': `refused-${company_id}-${number}` };
      await manager.post('/credential/', { company_id, values: {} }, key);
      await operator.post('/credential/', { name: 'Denied', company_id, values: {} }, key);
      await manager.post('/runtemplate/999999.json', { name: 'Missing' }, key);
    }
    const stored = (await count()) - before;
    return stored === 0 ? null : `${stored} responses were stored`;
  },
};

const idleConnections: Attack = {
  claim: 'Idle connections do not shut out the other clients of their address',
  attempt: async ({ url }) => {
    const { hostname, port, protocol } = new URL(url);
    const sockets: Socket[] = [];
    try {
      for (let count = 0; count < 600; count++) {
        const socket = connect({ host: hostname, port: Number(port || (protocol === 'https:' ? 443 : 80)) });
        socket.on('error', () => undefined);
        sockets.push(socket);
        await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
      }
      return await failureOfNewConnection(`${url}/ping.json`);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  },
};

/** Sends a request over a connection of its own. @returns how it failed, or null. */
function failureOfNewConnection(url: string): Promise<string | null> {
  return new Promise((resolve) => {
    const request = url.startsWith('https:') ? https.get : http.get;
    request(url, { agent: false }, ({ statusCode }) =>
      resolve(statusCode === 200 ? null : `a new connection got ${statusCode}`),
    ).on('error', (error) => resolve(`a new connection failed: ${error.message}`));
  });
}

const wrongPasswords: Attack = {
  claim: 'Wrong passwords of some users keep neither the token nor the right password of another from being accepted',
  attempt: async (target) => {
    const [victim, other] = [await target.addUser(), await target.addUser()];
    const logins = Array.from({ length: 200 }, (_, count) => (count % 2 === 0 ? victim.login : `nobody-${count}`));
    const guesses = Promise.all(logins.map((login) => signIn(target, login, 'a wrong guess, surely')));
    try {
      const right = await signIn(target, other.login, other.password);
      if (right !== 200) return `the right password got ${right}`;
      const { status } = await victim.client.get('/index.json');
      return status === 200 ? null : `a token got ${status}`;
    } finally {
      await guesses;
    }
  },
};

const lockedOutAdministrator: Attack = {
  claim:
    "Guesses from an administrator's own address do not keep the administrator's token out, nor one made on the machine",
  attempt: async (target) => {
    const administrator = await target.addUser('super_admin');
    let refusal = 0;
    for (let guess = 0; guess < 30 && refusal !== 429; guess++)
      refusal = await signIn(target, administrator.login, 'a wrong guess, surely');
    if (refusal !== 429) return `guess 30 got ${refusal}`;
    const { status } = await administrator.client.get('/users.json');
    if (status !== 200) return `the token got ${status}`;
    const { token } = await worldOf(target).run('token:generate', '--user', administrator.login);
    const { status: made } = await new Client(target.url, token).get('/users.json');
    return made === 200 ? null : `a token that was made on the machine got ${made}`;
  },
};

const unreadChanges: Attack = {
  claim: 'Who may not write is refused before the body is read',
  attempt: async (target) => {
    const { id: company_id, operator } = await target.addTenant();
    const { client } = await target.addUser('viewer');
    const paths = ['/app/', '/runtemplate/', '/credential/', `/company/${company_id}/user/`];
    for (const { headers } of [client, operator])
      for (const path of paths) {
        const { status } = await unfinished(target.url + path, { 'content-type': 'application/json', ...headers });
        if (status !== 403 && status !== 404) return `${path} was answered with ${status}`;
      }
    const { status } = await unfinished(`${target.url}/app/`, { 'content-type': 'application/json' });
    return status === 401 ? null : `an anonymous change was answered with ${status}`;
  },
};

const unreadMessages: Attack = {
  claim: 'Nothing is read of what is sent to webhooks and ping addresses that do not exist',
  attempt: async ({ url }) => {
    const { origin } = new URL(url);
    for (const path of ['/hook/there-is-none', `/ping/${randomUUID()}`, `/ping/${randomUUID()}/fail`]) {
      const { status } = await unfinished(origin + path, { 'content-type': 'application/json' });
      if (status !== 404 && status !== 429) return `${path} was answered with ${status}`;
    }
    return null;
  },
};

/** @returns the status of the response. */
async function signIn({ url }: Target, login: string, password: string): Promise<number> {
  const body = JSON.stringify({ login, password });
  const headers = { 'content-type': 'application/json' };
  const response = await checkedFetch(`${url}/login.json`, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
}

/** Guessing comes last, because it slows down all sign-ins from the address of the attacker. */
export const requestAttacks = [
  hiddenProxies,
  keptRefusals,
  storedRefusals,
  idleConnections,
  unreadChanges,
  unreadMessages,
];
export const guessingAttacks = [lockedOutAdministrator, wrongPasswords];
