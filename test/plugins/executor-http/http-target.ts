import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';

/** Answers by its path, as the programs of the contract of executors; `/echo` answers with the request. */
export const httpTarget: RequestListener = async (request, response) => {
  const { method, url = '/', headers } = request;
  const body = await text(request);
  const [, status] = /^\/status\/(\d+)$/.exec(url) ?? [];
  if (status) return void response.writeHead(Number(status), { location: '/elsewhere' }).end('text');
  if (url === '/hangs') return;
  if (url === '/writes') return void response.end('outerr');
  if (url === '/mebibyte') return void response.end('x'.repeat(1024 * 1024));
  if (url === '/stdin') return void response.end(body);
  response.end(JSON.stringify({ method, url, headers, body }));
};
