import { type Actor, AuditLog, Company, serializeRow, Topic, trustedActor } from '@horarium/core';
import { Records } from '#core/records/records';
import { newRow } from '#core/store/table';
import { Random } from '../simulation/world/random.ts';
import { AuditWorld } from '../worlds/audit-world.ts';
import { recordsContext } from '../worlds/record-world.ts';
import { drawMutation } from './mutations.ts';
import { dump, type Intruder, log, restore, unprotect } from './unprotected-log.ts';

export interface AuditFuzzReport {
  /** The number of mutations that changed something. */
  readonly changed: number;
  /** What was not noticed, or failed, each with the mutation that shows it. */
  readonly findings: readonly string[];
}

interface AuditFuzzOptions {
  readonly seed: number;
  /** The number of mutations. */
  readonly count: number;
  onProgress?(made: number): void;
}

const jane: Actor = { ...trustedActor('jane', 'http'), userId: 7, ip: '203.0.113.7', requestId: 'a request' };

/**
 * Changes sealed entries past the service in every way that the database can hold, one at a time. Each change must be
 * noticed by the verification, which names the entry; neither the verification, nor the sealer, nor a list may fail.
 */
export async function fuzzAudit(intruder: Intruder, options: AuditFuzzOptions): Promise<AuditFuzzReport> {
  const { seed, count, onProgress } = options;
  const random = new Random(seed);
  const world = new AuditWorld(intruder);
  const { sealedCount, open } = await writeLog(world);
  await unprotect(intruder);
  const untouched = await dump(intruder);
  const first = await world.verify();
  const findings: string[] = first.problem === null ? [] : [`The log is wrong before it is changed: ${first.problem}`];
  const list = new Records(AuditLog, recordsContext(world.audited));
  let changed = 0;
  for (let made = 1; made <= count && findings.length < 20; made += 1) {
    const { id, sql } = drawMutation(random, intruder.kind, sealedCount);
    await intruder.execute(sql);
    if ((await dump(intruder)) !== untouched) {
      changed += 1;
      try {
        const { problem } = await world.verify();
        if (problem === null || !names(problem, id)) findings.push(`${sql}\n  → ${problem}`);
        const { rows } = await list.list(jane);
        JSON.stringify(rows.map((row) => serializeRow(AuditLog, row)));
        await world.seal();
        if (!(await areSealed(intruder, open))) findings.push(`${sql}\n  → the sealer does not go on`);
      } catch (error) {
        findings.push(`${sql}\n  → ${error instanceof Error ? error.stack : error}`);
      }
      await restore(intruder);
    }
    onProgress?.(made);
  }
  return { changed, findings };
}

/** Whether a sentence names the entry whose id, and `seq` if it is sealed, was that number, or its place at the end. */
function names(problem: string, id: number): boolean {
  const named = `^Audit entry ${id} |seq ${id}\\)|^Entry ${id} was removed|^The log ends at ${id - 1},`;
  return new RegExp(named).test(problem);
}

async function areSealed({ execute }: Intruder, ids: readonly number[]): Promise<boolean> {
  const [row] = await execute(`select count(*) as count from ${log} where id in (${ids.join()}) and hash is not null`);
  return Number(row?.['count']) >= ids.length;
}

/**
 * Writes entries of which each column has values, and seals them: their ids and `seq` are equal. Two more stay open.
 */
async function writeLog(world: AuditWorld): Promise<{ sealedCount: number; open: readonly number[] }> {
  await world.audited.transaction(jane, async (tables) => {
    const [company] = await tables.of(Company).insert([newRow(Company, { code: 'acme', name: 'Acme, Ltd' })]);
    await tables.of(Topic).insert(['a', 'b', 'c', 'd'].map((name) => newRow(Topic, { name, color: '#aabbcc' })));
    const [row] = await tables.of(Company).find({ where: [['id', '=', company as number]] });
    if (row) await tables.of(Company).update([{ row, set: { name: 'Acme', environment: { A: 'x', B: 'é "\\' } } }]);
    await tables.of(Topic).delete([['name', '=', 'd']]);
  });
  await world.writeSealed(3);
  const { length: sealedCount } = await world.entries();
  await world.write(2);
  return { sealedCount, open: [sealedCount + 1, sealedCount + 2] };
}
