import { HorariumError } from '@horarium/core';
import { expect } from 'chai';
import { createLog } from '../../host/log.ts';
import { logLines } from '../../host/log-lines.ts';

describe('The log', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  beforeEach(() => {
    lines.length = 0;
  });

  it('masks secrets at every level of a line', () => {
    log.info({ password: 'hunter2', body: { token: 'hunter2', deep: { secret: 'hunter2' } } }, 'x');
    log.info({ headers: { authorization: 'hunter2', cookie: 'hunter2' } }, 'x');
    expect(lines).to.have.length(2);
    expect(lines.join()).to.not.include('hunter2');
  });

  it('masks secrets in lists and in the properties of errors', () => {
    log.info({ tried: [{ token: 'hunter2' }] }, 'x');
    log.error({ err: Object.assign(new Error('no'), { headers: { cookie: 'hunter2' } }) }, 'x');
    expect(lines).to.have.length(2);
    expect(lines.join()).to.not.include('hunter2');
    expect(JSON.parse(lines[0] as string)).to.deep.include({ tried: [{ token: '••••••••' }] });
    expect(JSON.parse(lines[1] as string).err).to.include({ type: 'Error', message: 'no' });
  });

  it('does not change the object that it logs', () => {
    const told = { body: { token: 'hunter2' } };
    log.info(told, 'x');
    expect(told).to.deep.equal({ body: { token: 'hunter2' } });
  });

  it('drops lines below its level', () => {
    log.debug('no');
    expect(lines).to.deep.equal([]);
  });

  it('writes one JSON object a line, with an RFC 3339 time', () => {
    logLines(log).workerLost('w1', 3);
    const line = JSON.parse(lines[0] as string) as Record<string, unknown>;
    expect(line).to.include({ level: 40, worker: 'w1', jobs: 3 });
    expect(line['time']).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(line).to.not.have.any.keys('pid', 'hostname');
  });

  it('reports a lost lease or worker as a problem only when jobs were running', () => {
    const { leaseLost, workerLost } = logLines(log);
    leaseLost([]);
    expect(lines).to.deep.equal([]);
    workerLost('w1', 0);
    expect(JSON.parse(lines.pop() as string)).to.include({ level: 30, worker: 'w1' });
    leaseLost([7, 8]);
    expect(JSON.parse(lines[0] as string)).to.deep.include({ level: 50, job_ids: [7, 8] });
  });

  it('warns of a blocked event loop, and names what blocked it or what may have', () => {
    const { eventLoopBlocked } = logLines(log);
    eventLoopBlocked({ duration: 250.4, by: 'tick scheduler', underWay: ['tick scheduler', 'tick runner'] });
    eventLoopBlocked({ duration: 300, by: null, underWay: ['tick runner', 'GET /jobs.{suffix}'] });
    const [known, unknown] = lines.map((line) => JSON.parse(line));
    expect(known).to.include({ level: 40, event_loop_blocked_ms: 250, by: 'tick scheduler' });
    expect(unknown).to.deep.include({ event_loop_blocked_ms: 300, under_way: ['tick runner', 'GET /jobs.{suffix}'] });
    expect([known, unknown].map((line) => 'under_way' in line)).to.deep.equal([false, true]);
  });

  it('marks sign-ins and refused sign-ins with a security field', () => {
    const { signedIn, signInRefused } = logLines(log);
    const note = { userId: 7, channel: 'http', ip: '192.0.2.1', requestId: 'r-1' } as const;
    signedIn(note);
    signInRefused({ ...note, userId: null }, 'unauthenticated');
    const whence = { channel: 'http', ip: '192.0.2.1', request_id: 'r-1' };
    expect(JSON.parse(lines[0] as string)).to.deep.include({ level: 30, security: 'signed_in', user_id: 7, ...whence });
    const refused = { level: 40, security: 'sign_in_refused', code: 'unauthenticated', user_id: null, ...whence };
    expect(JSON.parse(lines[1] as string)).to.deep.include(refused);
  });

  it('logs a sentence for an outage, and a stack for a mistake of the program', () => {
    const { tickFailed } = logLines(log);
    tickFailed('runner', new HorariumError('unavailable', 'The database is gone.'), 100);
    tickFailed('runner', new TypeError('x is undefined'), 100);
    expect(JSON.parse(lines[0] as string)).to.include({ tick: 'runner', reason: 'The database is gone.' });
    expect(lines[0]).to.not.include('stack');
    expect(JSON.parse(lines[1] as string).err).to.include({ message: 'x is undefined' });
    expect(lines[1]).to.include('log.test');
  });
});
