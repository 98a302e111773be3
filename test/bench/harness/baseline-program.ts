import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Request, Response, Server } from 'restify';
import { Metrics } from '../../../adapters/http/metrics.ts';
import { readQuery } from '../../../adapters/http/request/query.ts';
import { securityHeaders } from '../../../adapters/http/security/security-headers.ts';
import { createRestifyServer } from '../../../adapters/restify/restify-server.ts';
import { openLog } from '../../../host/log.ts';

/**
 * The servers that Horarium is compared with. The program responds to every GET of one route with one record, which
 * the parent process sent, and to every POST with the posted body. It has no authentication, permissions or database.
 *
 * - `node`: bare `node:http`, without routes.
 * - `restify`: one route of restify's, answered with `response.send`, and restify's own log silent.
 * - `equipped`: the same with the middleware of Horarium that any service would need: security headers, request ids,
 *   query parsing, entity tags, Prometheus metrics and a log line for each request.
 */
const kinds = { node: bareNode, restify: bareRestify, equipped: equippedRestify };
export type BaselineKind = keyof typeof kinds;

type Listening = Pick<Server, 'listen'> & { address(): AddressInfo };
const path = '/api/v1/app/:appId';

function bareNode(record: object): Listening {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const value = request.method === 'POST' ? JSON.parse(Buffer.concat(pieces).toString()) : record;
      const body = `${JSON.stringify(value)}\n`;
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
      response.end(body);
    });
  });
  return server as unknown as Listening;
}

async function bareRestify(record: object): Promise<Listening> {
  const log = await openLog({ level: 'silent', format: 'json' });
  const server = createRestifyServer({ name: '', log, ignoreTrailingSlash: true });
  server.get(path, async (_request: Request, response: Response) => {
    response.send(record);
  });
  return server as unknown as Listening;
}

async function equippedRestify(record: object): Promise<Listening> {
  const log = await openLog({ level: 'info', format: 'json' });
  const server = createRestifyServer({ name: '', log, ignoreTrailingSlash: true });
  const metrics = new Metrics();
  server.get(path, async (request: Request, response: Response) => {
    metrics.begin();
    const started = performance.now();
    const request_id = randomUUID();
    const query = readQuery(request.getQuery());
    const headers = { ...securityHeaders, 'X-Request-Id': request_id, ETag: `"v${query.size}"` };
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.send(record);
    const ms = performance.now() - started;
    const { method } = request as { method: string };
    const at = request.path();
    metrics.end(method, path, 200, ms / 1000);
    log.info({ method, path: at, status: 200, ms: Math.round(ms), request_id }, `${method} ${at} 200`);
  });
  return server as unknown as Listening;
}

process.once('message', async (record: object) => {
  const server = await kinds[process.argv[2] as BaselineKind](record);
  server.listen(0, '127.0.0.1', () => process.send?.(server.address().port));
});
process.once('disconnect', () => process.exit());
