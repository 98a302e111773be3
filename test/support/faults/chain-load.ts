import { join } from 'node:path';
import type { EventRow } from '@horarium/core';
import Database from 'better-sqlite3';
import type { FinalState, Findings } from '../simulation/invariants/findings.ts';
import { recordingShell } from './recorded-runs.ts';
import type { ServiceWorld } from './service-world.ts';

const kinds = 20;

/** Rules that react to jobs, to Tasks and to the rows of a table of another program, which grows while services are killed. */
export class ChainLoad {
  /** The templates whose jobs only wait: no worker has their executor. */
  readonly waiting: readonly number[];
  readonly #table: Database.Database;
  readonly #insert: Database.Statement;
  #rows = 0;

  private constructor(waiting: readonly number[], table: Database.Database) {
    this.waiting = waiting;
    this.#table = table;
    this.#insert = table.prepare(
      `insert into changes_cache (inversion, recordid, evidence, operation, created) values (?, ?, ?, 'create', datetime())`,
    );
  }

  /** @param sources templates whose jobs are followed by others. */
  static async create(world: ServiceWorld, folder: string, sources: readonly number[]): Promise<ChainLoad> {
    const table = new Database(join(folder, 'changes.sqlite'));
    table.pragma('journal_mode = wal');
    table.exec(
      'create table changes_cache (inversion integer primary key, recordid text, evidence text, operation text, externalids text, created text, source text, target text)',
    );
    const fields = { interval: 'none', overlap: 'allow' };
    const link = await world.addTemplate('link', recordingShell(folder, { mayOverlap: true, failEvery: 7 }), fields);
    const waits = async (name: string) => world.addTemplate(name, ['-c', 'true'], { ...fields, executor: 'external' });
    const [last, missed, changed] = [await waits('last'), await waits('missed'), await waits('changed')];
    const { app_id } = await world.run('runtemplate:get', String(changed));
    await world.run('app:save', '--id', String(app_id), '--set', 'environment={"RECORD": {}}');
    const rule = (values: Readonly<Record<string, string | number>>) =>
      world.run('eventrule:save', ...Object.entries(values).flatMap(([key, value]) => ['--set', `${key}=${value}`]));
    for (const [index, id] of sources.entries()) {
      // Every other source has a chain of two jobs; a shell for each job of all of them would take the whole machine.
      const target = index === 0 ? link : last;
      await rule({ runtemplate_source_id: id, event: 'completed', runtemplate_id: target });
      await rule({ runtemplate_source_id: id, event: 'task_missed', runtemplate_id: missed });
    }
    await rule({ runtemplate_source_id: link, event: 'succeeded', runtemplate_id: last });
    const options = JSON.stringify({ driver: 'sqlite', database: join(folder, 'changes.sqlite'), gap_wait: 1 });
    const source = await world.run(
      'eventsource:save',
      '--name',
      'changes',
      '--kind',
      'changes-table',
      `--options=${options}`,
      '--poll-interval',
      '1',
    );
    await rule({
      event_source_id: source.id,
      evidence: 'kind-3',
      runtemplate_id: changed,
      env_mapping: '{"RECORD": "recordid"}',
    });
    return new ChainLoad([last, missed, changed], table);
  }

  /** Adds rows, as the other program does. */
  add(count: number): void {
    this.#table.transaction(() => {
      for (let row = 0; row < count; row += 1) {
        this.#rows += 1;
        this.#insert.run(this.#rows, `record ${this.#rows}`, `kind-${this.#rows % kinds}`);
      }
    })();
  }

  get rows(): number {
    return this.#rows;
  }

  /** Checks that each row is one event. */
  check({ records }: FinalState, findings: Findings): void {
    const events = (records.get('Event') ?? []) as EventRow[];
    const keys = events.filter(({ kind }) => kind === 'source').map(({ key }) => Number(key));
    const expected = Array.from({ length: this.#rows }, (_, index) => index + 1);
    findings.check(
      JSON.stringify(keys.toSorted((one, other) => one - other)) === JSON.stringify(expected),
      () => `${keys.length} events have ${new Set(keys).size} keys of ${expected.length} rows.`,
    );
  }

  close(): void {
    this.#table.close();
  }
}
