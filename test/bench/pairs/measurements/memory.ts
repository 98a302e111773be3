import { setTimeout as pause } from 'node:timers/promises';
import { childrenOf } from '../../harness/processor-time.ts';
import { memoryOf } from '../../harness/service.ts';
import { createShellTemplate } from '../../harness/shell-template.ts';
import { JobProbe } from '../statements/job-probe.ts';
import type { Measurement } from './measurement.ts';
import { startService } from './start-service.ts';

const starts = 2;
/** How long the service is idle before it is measured, in milliseconds: its ticks run meanwhile. */
const settled = 5000;
const names = {
  idle: 'memory of an idle serve, SQLite, MB',
  afterJob: 'memory of it after a login and a native job, MB',
  launcher: 'memory of the launcher of native jobs beside it, MB',
};

/** Resident memory of `serve` in all roles, without a forced garbage collection. */
export const memory: Measurement = {
  rows: [{ name: names.idle, target: { max: 100 } }, { name: names.afterJob }, { name: names.launcher }],
  async run(side, context, add) {
    const database = await context.emptyDatabase('SQLite FULL');
    // Migrations are loaded by the first start only.
    await (await startService(side, database))[Symbol.asyncDispose]();
    for (let round = 0; round < starts; round++) {
      context.signal.throwIfAborted();
      await using service = await startService(side, database);
      await service.request('GET', '/ping.json');
      await pause(settled);
      add(names.idle, service.memory);
      await service.signIn();
      const runtemplate_id = await createShellTemplate(service, `memory-${round}`);
      await using probe = await JobProbe.open(database);
      await probe.untilSucceeded((await service.request('POST', '/job/', { runtemplate_id }))['id'] as number);
      await pause(settled);
      add(names.afterJob, service.memory);
      add(
        names.launcher,
        childrenOf(service.pid).reduce((sum, pid) => sum + memoryOf(pid), 0),
      );
    }
  },
};
