import {
  type App,
  AuditLog,
  allTables,
  type Company,
  type ExplainedKind,
  type Explanation,
  type Instant,
  MemoryStore,
  type RunTemplateRow,
  type Store,
} from '@horarium/core';
import { ArchivePass } from '#core/audit/archive/archive-pass';
import { Sealer } from '#core/audit/sealer';
import { explain } from '#core/why/explain';
import type { Runner } from '#core/worker/runner';
import { testHmac } from '../../support/secrets/test-hmac.ts';
import { memoryArchive } from '../../support/store/memory-archive.ts';
import { recordServices } from '../../support/worlds/record-world.ts';
import { RunnerWorld, runUntilIdle } from '../../support/worlds/runner-world.ts';

const second = 1000;
const minute = 60 * second;

/** A world of workers that begins at 05:00 UTC, and explains what happens there. */
export class WhyWorld extends RunnerWorld {
  why(kind: ExplainedKind, id: number, actor = this.actor): Promise<Explanation> {
    const { calendarRules, executors } = recordServices;
    const service = { timezone: 'UTC', external: new Set(['external']), calendarRules, executors };
    return this.audited.read((tables) => explain(tables, actor, { kind, id }, service));
  }

  /** Schedules jobs of a template that are due now. @returns the id of the last one. */
  async request(template: RunTemplateRow, count = 1): Promise<number> {
    let id = 0;
    for (let job = 0; job < count; job += 1)
      ({ id } = await this.jobs.schedule(this.actor, { runtemplate_id: template.id }));
    return id;
  }

  /** Lets a worker start what it may, and the time pass after which a waiting job is worth an explanation. */
  async run(runner: Runner = this.worker()): Promise<void> {
    for (let ticks = 0; ticks < 10; ticks += 1) await runner.tick();
    await this.time.pass(second);
  }

  /** Ends the attempt that started last, after that long. */
  async endLast(runner: Runner, exitCode: number, after = minute): Promise<void> {
    for (let left = after; left > 0; left -= 2500) {
      await this.time.pass(Math.min(left, 2500));
      await runner.tick();
    }
    await this.executor.end(this.executor.started.at(-1) as number, exitCode, { finishedAt: this.time.now });
    await runUntilIdle(runner);
  }

  async setRecord(description: typeof App | typeof Company, id: number, set: object): Promise<void> {
    await this.audited.transaction(this.actor, async (tables) => {
      const [row] = await tables.of(description as typeof App).find({ where: [['id', '=', id]] });
      await tables.of(description as typeof App).update([{ row: row as NonNullable<typeof row>, set }]);
    });
  }
}

/** A world whose store lets a test write into the audit log. */
export class UntrappedWorld extends WhyWorld {
  protected override openStore(): Store {
    return new MemoryStore({ tables: allTables, clock: this.time.storeClock });
  }

  /** Marks all entries of a kind of record as forged. */
  async forge(entityType: string): Promise<void> {
    const where = [['entity_type', '=', entityType]] as const;
    await this.store.transaction((tables) => tables.of(AuditLog).updateWhere(where, { forged: true }));
  }

  /** Seals all entries, and moves those that were made before a time to an archive. */
  async archive(before: Instant): Promise<void> {
    const { store } = this;
    const hmac = async () => testHmac;
    const sealer = new Sealer({ store, hmac, onForged: () => undefined });
    while ((await sealer.tick()) === 0);
    const pass = new ArchivePass({ store, hmac, archive: memoryArchive() }, { before, slack: 0 });
    while (await pass.step());
  }
}
