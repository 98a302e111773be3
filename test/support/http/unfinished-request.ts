import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** Sends a POST whose body never ends, and waits for the response. */
export async function unfinished(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number | undefined }> {
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  const request = send(url, { method: 'POST', headers: { connection: 'keep-alive', ...headers }, agent: false });
  request.on('error', () => undefined);
  request.write('{');
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  request.destroy();
  return { status: response.statusCode };
}
