import { randomUUID } from 'node:crypto';
import { RunTemplate, text, trustedActor } from '@horarium/core';
import { Sealer } from '#core/audit/sealer';
import { HttpService } from '../http/http-service.ts';
import { isServiceError } from '../program/spawned-program.ts';
import { checkStore } from './check-store.ts';
import type { FuzzTarget } from './fuzz-target.ts';

/** Starts the service in this process, on a memory store that rejects unaudited writes. */
export async function memoryTarget(): Promise<FuzzTarget> {
  const service = await new HttpService().start();
  const { core } = service;
  core.eventSourceKinds.set('changes-table', {
    name: 'changes-table',
    options: {
      driver: text(16),
      host: text(255),
      database: text(255),
      username: text(255),
      password: text(255, { secret: 'encrypted' }),
    },
    probe: async () => undefined,
  });
  let linesRead = 0;
  return {
    store: 'memory',
    url: `${service.url}/api/v1`,
    addSuperAdmin: async () => {
      const login = `root-${randomUUID()}`;
      await core.addUser(login, login);
      return login;
    },
    program: 'true',
    createToken: async (login) => (await core.createToken(login)).secret,
    newErrors: () => {
      const newLines = service.logLines.slice(linesRead);
      linesRead = service.logLines.length;
      return newLines.filter((line) => isServiceError(JSON.parse(line)));
    },
    finish: async () => {
      const actor = trustedActor('test');
      const active = await core.store.read((tables) => tables.of(RunTemplate).find({ where: [['active', '=', true]] }));
      for (const { id } of active) await core.records(RunTemplate).save(actor, { id, active: false });
      // A core that was never started seals nothing when it stops.
      await new Sealer({ store: core.database, hmac: async () => core.auditHmac, onForged: () => undefined }).tick();
      return checkStore(core.database, core.auditHmac);
    },
    [Symbol.asyncDispose]: () => service.stop(),
  };
}
