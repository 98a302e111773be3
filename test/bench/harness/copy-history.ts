import { AuditLog, Job, type TableDescription, Task } from '@horarium/core';
import pg from 'pg';

/** Jobs with consecutive ids, whose entries are consecutive in the audit chain. */
export interface Block {
  readonly jobCount: number;
  readonly entriesPerJob: number;
  /** The lowest ids, and the lowest sequence number in the audit chain. */
  readonly firstTask: number;
  readonly firstJob: number;
  readonly firstEntry: number;
  readonly firstSeq: number;
}

/** The interval between the times of a copy and those of the copy before. */
const intervalBetweenCopies = (block: Block, templateCount: number) =>
  `interval '${block.jobCount / templateCount} minutes'`;

/**
 * Copies a block inside PostgreSQL, with new ids, times and sequence numbers in each copy. Millions of rows take only a
 * minute, because constraints are not checked and indexes are rebuilt at the end. The tables are analyzed, as they
 * would be after years.
 * @param jobCount the number of jobs that exist already.
 */
export async function copyHistory(
  url: string,
  block: Block,
  {
    copies,
    jobCount,
    templateCount,
  }: { readonly copies: number; readonly jobCount: number; readonly templateCount: number },
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const offset = async (first: number, { table }: TableDescription, column = 'id') => {
      const { rows } = await client.query(
        `select coalesce(max(${column}), 0)::float8 + 1 as next from ${quoted(table)}`,
      );
      return (rows[0] as { next: number }).next - first;
    };
    const task = await offset(block.firstTask, Task);
    const job = await offset(block.firstJob, Job);
    const [entry, seq] = [await offset(block.firstEntry, AuditLog), await offset(block.firstSeq, AuditLog, 'seq')];
    const step = `(k.copy * ${block.jobCount})`;
    const entries = `(k.copy * ${block.jobCount * block.entriesPerJob})`;
    const later = `(${jobCount / block.jobCount} + k.copy) * ${intervalBetweenCopies(block, templateCount)}`;
    const copy = async (
      table: TableDescription,
      first: number,
      rows: number,
      changed: Readonly<Record<string, string>>,
    ) => {
      const values = table.columns.map(({ name, kind }) => {
        if (name in changed) return changed[name] as string;
        return kind === 'instant' ? `${quoted(name)} + ${later}` : quoted(name);
      });
      const from = `${quoted(table.table)}, generate_series(0, ${copies - 1}) as k (copy)`;
      const into = `${quoted(table.table)} (${table.columns.map(({ name }) => quoted(name)).join(', ')})`;
      const where = `"id" between ${first} and ${first + rows - 1}`;
      await client.query(
        `insert into ${into} select ${values.join(', ')} from ${from} where ${where} order by k.copy, "id"`,
      );
      const sequence = `pg_get_serial_sequence('${table.table}', 'id')`;
      await client.query(`select setval(${sequence}, (select max("id") from ${quoted(table.table)}))`);
    };
    // The constraints were checked when the block was inserted.
    await client.query(`set session_replication_role = replica; set maintenance_work_mem = '512MB'`);
    await withoutIndexes(client, [Task, Job, AuditLog], async () => {
      const jobOf = (name: string) => `${name} + ${job} + ${step}`;
      const taskOf = (name: string) => `${name} + ${task} + ${step}`;
      await copy(Task, block.firstTask, block.jobCount, { id: taskOf('"id"') });
      await copy(Job, block.firstJob, block.jobCount, { id: jobOf('"id"'), task_id: taskOf('"task_id"') });
      const position = `"seq" + ${seq} + ${entries}`;
      await copy(AuditLog, block.firstEntry, block.jobCount * block.entriesPerJob, {
        id: `"id" + ${entry} + ${entries}`,
        nonce: 'gen_random_uuid()::text',
        seq: position,
        hash: `lpad(to_hex(${position}), 64, '0')`,
        entity_id: `case "entity_type" when 'Job' then ${jobOf('"entity_id"')} else ${taskOf('"entity_id"')} end`,
      });
    });
    await client.query(`vacuum analyze ${[Task, Job, AuditLog].map(({ table }) => quoted(table)).join(', ')}`);
  } finally {
    await client.end();
  }
}

/** Drops the indexes that no constraint needs, runs the work and rebuilds them. */
async function withoutIndexes(
  client: pg.Client,
  tables: readonly TableDescription[],
  work: () => Promise<void>,
): Promise<void> {
  const found = await client.query({
    text: `select indexname, indexdef from pg_indexes where schemaname = current_schema() and tablename = any($1)
      and not exists (select 1 from pg_constraint where conname = indexname)`,
    values: [tables.map(({ table }) => table)],
  });
  for (const { indexname } of found.rows) await client.query(`drop index ${quoted(indexname)}`);
  await work();
  for (const { indexdef } of found.rows) await client.query(indexdef);
}

const quoted = pg.escapeIdentifier;
