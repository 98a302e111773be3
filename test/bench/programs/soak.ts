import { openDatabase } from '../harness/databases.ts';
import { type NextRequest, requestText, saturate } from '../harness/http-load.ts';
import { median } from '../harness/rounds.ts';
import { Service } from '../harness/service.ts';
import type { Report } from '../results.ts';

export const name = 'memory under load';
const defaultMinutes = 10;
const samplesPerMinute = 4;
const connections = 20;

/**
 * Samples the memory of the service four times a minute under saturating mixed load. The first quarter is for caches to
 * fill and code to be compiled.
 */
export async function run(report: Report, minutes = defaultMinutes): Promise<void> {
  await using database = await openDatabase('SQLite NORMAL');
  await using service = await Service.start(database, { HORARIUM_LOG_LEVEL: 'info' }, 'ignore');
  const next = await mixedRequests(service);
  report.figure('before', service.memory, 'MB');
  const samples: number[] = [];
  let responses = 0;
  const seconds = 60 / samplesPerMinute;
  for (let sample = 1; sample <= minutes * samplesPerMinute; sample++) {
    responses += (await saturate(service, next, { connections, seconds })).latencies.length;
    samples.push(service.memory);
    report.figure(`after ${sample / samplesPerMinute} minutes`, service.memory, 'MB');
  }
  const quarter = (number: number) =>
    median(samples.slice((samples.length * (number - 1)) / 4, (samples.length * number) / 4));
  report.figure('requests', responses, '');
  report.figure('last quarter vs. the second', quarter(4) / quarter(2), '×', { max: 1.1 });
}

/** Returns requests of items, lists, other formats and the audit log, of which one in ten changes an App. */
async function mixedRequests(service: Service): Promise<NextRequest> {
  await service.signIn();
  for (let number = 0; number < 200; number++)
    await service.request('POST', '/app/', { code: `app-${number}`, name: `App ${number}`, executable: 'true' });
  const { bearer, basic } = service.authorization;
  const get = (path: string, authorization = bearer) => requestText('GET', `/api/v1${path}`, { authorization });
  const requests = [
    get('/app/1.json'),
    get('/app/2.json', basic),
    get('/apps.json?limit=20'),
    get('/apps.csv?limit=20'),
    get('/app/3.html'),
    get('/app/4.xml'),
    get('/auditlog.json?limit=20'),
    get('/tasks.json?state=open'),
    get('/status'),
  ];
  let sent = 0;
  return () => {
    const index = sent++ % (requests.length + 1);
    if (index < requests.length) return requests[index] as Buffer;
    const change = JSON.stringify({ description: `Changed for the ${sent}th time.` });
    return requestText('POST', `/api/v1/app/${1 + (sent % 200)}.json`, { authorization: bearer }, change);
  };
}
