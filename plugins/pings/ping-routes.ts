import { HorariumError, type Route, type RouteContext } from '@horarium/core/plugin';
import { readBeginning } from './read-beginning.ts';
import { type Ping, recordPing } from './record-ping.ts';

/** The bytes of a body that are stored, as Healthchecks does. */
const maxBody = 100_000;

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The requests of Healthchecks' ping API, each by GET, HEAD and POST. */
export const pingRoutes: readonly Route[] = (['GET', 'POST'] as const).flatMap((method) => [
  pingRoute(method, '/ping/{uuid}', `ping${method}`, 'Report that the work of a run template is done'),
  pingRoute(
    method,
    '/ping/{uuid}/{event}',
    `pingEvent${method}`,
    'Report that the work of a run template has started (start), failed (fail) or ended with an exit code (0 to 255), or only add to its output (log)',
  ),
]);

function pingRoute(method: 'GET' | 'POST', path: string, operation: string, summary: string): Route {
  return {
    method,
    path,
    summary,
    authentication: 'none',
    atRoot: true,
    secretPath: true,
    readsBody: true,
    confidential: () => true,
    shape: {
      operation,
      tag: 'pings',
      pathParameters: {
        uuid: {
          description: 'The secret of the ping address.',
          schema: { type: 'string', format: 'uuid' },
          example: '6f1c2a0e-3b7d-4c58-9a41-0d2e8b5f7c63',
        },
        event: {
          description: 'start, fail, log, or an exit code from 0 to 255.',
          schema: { type: 'string' },
          example: 'start',
        },
      },
      parameters: {
        rid: {
          description: 'A UUID for the run, the same at its start and its end. It tells runs apart that go on at once.',
          schema: { type: 'string', format: 'uuid' },
        },
      },
      errors: [404, 409, 429],
      responses: {
        200: {
          description: 'The ping was recorded. The text is “OK (nothing is due)” if no job waits for a ping.',
          otherContent: { 'text/plain': { schema: { type: 'string' }, example: 'OK' } },
        },
      },
    },
    async handle(context) {
      const { core, actor, request } = context;
      const ping = pingIn(context);
      const read = async () => ({
        ...ping,
        output: request.method === 'POST' ? await readBeginning(request.body, maxBody) : '',
      });
      const effect = await recordPing(core, actor, request.params['uuid'] as string, read);
      const text = effect === 'recorded' ? 'OK' : 'OK (nothing is due)';
      const content = new TextEncoder().encode(text);
      return { headers: { 'Ping-Body-Limit': String(maxBody) }, bytes: { mime: 'text/plain; charset=utf-8', content } };
    },
  };
}

/** @throws HorariumError `not_found` for a path, `bad_request` for a run id that is none. */
function pingIn({ request, query }: RouteContext): Ping {
  const { uuid = '', event = 'success' } = request.params;
  const ping = uuidPattern.test(uuid) ? pingOf(event.toLowerCase()) : undefined;
  if (!ping) throw new HorariumError('not_found', 'There is no ping address of this UUID, or no such ping.');
  const runId = query.get('rid')?.toLowerCase() ?? null;
  if (runId !== null && !uuidPattern.test(runId)) throw new HorariumError('bad_request', 'rid must be a UUID.');
  return { ...ping, runId };
}

function pingOf(event: string): Ping | undefined {
  if (event === 'success') return { event: 'end' };
  if (event === 'start' || event === 'log') return { event };
  if (event === 'fail') return { event: 'end', exitCode: 1 };
  const exitCode = /^\d{1,3}$/.test(event) ? Number(event) : 256;
  return exitCode <= 255 ? { event: 'end', exitCode } : undefined;
}
