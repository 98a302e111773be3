import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Job, RunTemplate } from '@horarium/core';
import { AuditedStore } from '#core/audit/audited-store';
import { ServiceWorld, type StoreKind } from '../faults/service-world.ts';
import { eventually } from '../mocha/eventually.ts';
import { temporaryFolder } from '../mocha/temporary-folder.ts';
import { isServiceError } from '../program/spawned-program.ts';
import { addUser } from '../store/add-user.ts';
import { checkStore } from './check-store.ts';
import type { FuzzTarget } from './fuzz-target.ts';

/** Starts a service process on a database. Its jobs may run one harmless program only. */
export async function spawnedTarget(kind: StoreKind): Promise<FuzzTarget> {
  const folder = temporaryFolder('fuzz');
  const program = join(folder, 'hello');
  writeFileSync(program, '#!/bin/sh\necho "hello $*"\n');
  chmodSync(program, 0o755);
  mkdirSync(join(folder, 'jobs'));
  const world = await ServiceWorld.create(kind, {
    HORARIUM_EXECUTABLES: folder,
    HORARIUM_WORKERS: '2',
    HORARIUM_MAX_REQUESTS_PER_SECOND: '0',
    HORARIUM_PLUGIN_OPTIONS: JSON.stringify({ 'executor-native': { folder: join(folder, 'jobs') } }),
  });
  const { service, url } = await world.startService();
  let charactersRead = 0;
  let exitCode: number | string | null = null;
  void service.ended.then((code) => {
    exitCode = code;
  });
  const newErrors = () => {
    const newOutput = service.err.slice(charactersRead);
    const completeLines = newOutput.slice(0, newOutput.lastIndexOf('\n') + 1);
    charactersRead += completeLines.length;
    const lines = completeLines.split('\n').filter((line) => line !== '');
    const errors = lines.filter((line) => !line.startsWith('{') || isServiceError(JSON.parse(line)));
    return exitCode === null ? errors : [...errors, `The process ended with ${exitCode}.`];
  };
  return {
    store: kind,
    url,
    program,
    addSuperAdmin: async () => {
      const login = `root-${randomUUID()}`;
      await addUser(new AuditedStore(await world.openStore(), async () => world.auditHmac), {
        login,
        password: null,
        role: 'super_admin',
      });
      return login;
    },
    createToken: async (login) => (await world.run('token:generate', '--user', login)).token,
    newErrors,
    finish: async () => {
      const store = await world.openStore();
      const activeTemplates = await store.transaction(
        (tables) => tables.of(RunTemplate).find({ where: [['active', '=', true]] }),
        { readOnly: true },
      );
      for (const { id } of activeTemplates)
        await world.run('runtemplate:save', '--id', String(id), '--active', 'false');
      await eventually('every running job has ended', () =>
        store.transaction(async (tables) => (await tables.of(Job).count([['state', '=', 'running']])) === 0, {
          readOnly: true,
        }),
      );
      const lastErrors = newErrors();
      service.process.kill('SIGTERM');
      const code = await service.ended;
      const exitProblems = code === 0 ? [] : [`The service ended with ${code}: ${service.err.slice(-2000)}`];
      return [...lastErrors, ...exitProblems, ...(await checkStore(store, world.auditHmac))];
    },
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
