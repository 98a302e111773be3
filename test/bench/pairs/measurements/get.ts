import { BaselineServer } from '../../harness/baseline-server.ts';
import { type LoadTarget, requestText, saturate } from '../../harness/http-load.ts';
import type { Measurement } from './measurement.ts';
import { startService } from './start-service.ts';

const warmUps = 3;
const rounds = 4;
const load = { connections: 50, seconds: 1.5 };
const name = 'GET of one item ÷ equipped Restify, by processor time';

/** Reads one App, signed in, beside a server that answers the same without a database; that server is this tree's. */
export const get: Measurement = {
  rows: [{ name, target: { min: 0.55 } }],
  async run(side, context, add) {
    const database = await context.emptyDatabase('SQLite FULL');
    await using service = await startService(side, database, { HORARIUM_LOG_LEVEL: 'info' });
    await service.signIn();
    const app = { code: 'hello', name: 'Hello', executable: 'echo', arguments: ['hello'] };
    const record = await service.request('POST', '/app/', app);
    await using equipped = await BaselineServer.start('equipped', record);
    const { bearer } = service.authorization;
    const request = requestText('GET', `/api/v1/app/${record['id']}.json`, { authorization: bearer });
    const processorTime = async (target: LoadTarget) => {
      context.signal.throwIfAborted();
      return (await saturate(target, () => request, load)).cpu;
    };
    for (let round = -warmUps; round < rounds; round++) {
      const ratio = (await processorTime(equipped)) / (await processorTime(service));
      if (round >= 0) add(name, ratio);
    }
  },
};
