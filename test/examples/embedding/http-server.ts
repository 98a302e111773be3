/** The API of an embedded core under a path of the program's own server. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Core, createFirstUser, functions, memoryStore } from '@horarium/core';
import { nodePorts } from '@horarium/core/node';
import { httpHandler } from 'horarium/http';
import docs from 'horarium/plugins/docs';
import formatHtml from 'horarium/plugins/format-html';

const ports = nodePorts();
await using core = new Core({ ...ports, store: memoryStore(), executors: [functions()] });
await createFirstUser({ ...ports, store: core.store, password: 'correct horse battery' });
await core.every('* * * * * *', 'checkStock', async ({ log }) => {
  await log('all there');
});
await core.start();

const closing = new AbortController();
const api = httpHandler({ core, path: '/scheduler', plugins: [formatHtml, docs], signal: closing.signal });
const server = createServer((request, response) => api(request, response, () => response.end('The shop is open.\n')));
server.listen(Number(process.env['PORT'] ?? 8080), '127.0.0.1');
await once(server, 'listening');
console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/scheduler/api/v1`);
await Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)));
closing.abort();
server.close();
