import { openDatabase } from './databases.ts';
import { type NextRequest, requestText, saturate } from './http-load.ts';
import type { Report } from './report.ts';
import { median } from './rounds.ts';
import { Service } from './service.ts';

export const name = 'memory under load';
const usualMinutes = 10;
const samplesAMinute = 4;
const connections = 20;

/**
 * What the service holds while it is asked for everything as fast as it answers, sampled four times a minute. The
 * first quarter is for caches to fill and code to be compiled.
 */
export async function run(report: Report, minutes = usualMinutes): Promise<void> {
  await using database = await openDatabase('SQLite NORMAL');
  await using service = await Service.start(database, { HORARIUM_LOG_LEVEL: 'info' }, 'ignore');
  const next = await everything(service);
  report.figure('before', service.memory, 'MB');
  const samples: number[] = [];
  let answers = 0;
  const seconds = 60 / samplesAMinute;
  for (let sample = 1; sample <= minutes * samplesAMinute; sample++) {
    answers += (await saturate(service, next, { connections, seconds })).latencies.length;
    samples.push(service.memory);
    report.figure(`after ${sample / samplesAMinute} minutes`, service.memory, 'MB');
  }
  const quarter = (number: number) =>
    median(samples.slice((samples.length * (number - 1)) / 4, (samples.length * number) / 4));
  report.figure('requests answered meanwhile', answers, '');
  report.figure('last quarter beside the second', quarter(4) / quarter(2), '×', { most: 1.1 });
}

/** Single records, lists, other formats, the ledger and, one in ten, a change with its audit entry. */
async function everything(service: Service): Promise<NextRequest> {
  await service.signIn();
  for (let number = 0; number < 200; number++)
    await service.ask('POST', '/app/', { code: `app-${number}`, name: `App ${number}`, executable: 'true' });
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
    const at = sent++ % (requests.length + 1);
    if (at < requests.length) return requests[at] as Buffer;
    const change = JSON.stringify({ description: `Changed for the ${sent}th time.` });
    return requestText('POST', `/api/v1/app/${1 + (sent % 200)}.json`, { authorization: bearer }, change);
  };
}
