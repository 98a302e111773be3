import { copyOf } from '../../support/faults/forged-entry.ts';
import type { ServiceWorld } from '../../support/faults/service-world.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import type { Attack } from '../attack.ts';
import { createWorld } from '../own-target.ts';

const log = 'horarium_audit_log';

/** Statements of somebody who writes to the database, and the entry that the verification has to name. */
const forgeries: readonly (readonly [what: string, sql: string, named: RegExp])[] = [
  ['a changed actor', `update ${log} set actor = 'nobody' where seq = 3`, /entry 3 .*was changed/i],
  [
    'a changed time',
    `update ${log} set created_at = (select created_at from ${log} where seq = 1) where seq = 4`,
    /entry 4 .*was changed/i,
  ],
  ['a removed entry', `delete from ${log} where seq = 3`, /Entry 3 was removed/],
  ['two entries that were swapped', swap(2, 3), /entry [23] .*was changed/i],
  ['an inserted entry', copyOf(1, { nonce: "'copied'", actor: "'nobody'" }), /inserted past the service/],
  [
    'the newest entry cut off',
    `delete from ${log} where seq = (select max(seq) from ${log})`,
    /removed|cut off|missing/i,
  ],
  ['all entries removed', `delete from ${log}`, /removed|cut off|missing/i],
];

const forgedLog: Attack = {
  claim:
    'The verification of the audit log names what a person with access to the database changes, removes or inserts',
  attempt: async (target) => {
    await using world = await createWorld(target);
    await world.startService('--workers', '0');
    await sealTopic(world, 'Older');
    await world.execute(`create table older_log as select * from ${log}`);
    await world.execute('create table older_setting as select * from horarium_setting');
    await sealTopic(world, 'Newer');
    const { head } = await world.run('audit:verify');
    await world.execute(`create table newer_log as select * from ${log}`);
    for (const change of ['update', 'delete']) {
      const trigger = `horarium_audit_log_${change}_of_sealed`;
      await world.execute(`drop trigger ${trigger}${world.kind === 'postgresql' ? ` on ${log}` : ''}`);
    }
    for (const [what, sql, named] of forgeries) {
      await world.execute(sql);
      const { code, err } = await world.cli.command('audit:verify');
      if (code !== 1 || !named.test(err)) return `${what}: exit code ${code}, ${err}`;
      await world.execute(`delete from ${log}`);
      await world.execute(`insert into ${log} select * from newer_log`);
    }
    // An older copy of the whole database is a log that was intact: only a head that was noted elsewhere tells.
    await world.execute(`delete from ${log}`);
    await world.execute(`insert into ${log} select * from older_log`);
    await world.execute('delete from horarium_setting');
    await world.execute('insert into horarium_setting select * from older_setting');
    const { code, err } = await world.cli.command(`audit:verify --head ${head}`);
    return code === 1 ? null : `an older copy of the database: exit code ${code}, ${err}`;
  },
};

const truncatedLog: Attack = {
  claim:
    'The database refuses to change, remove or truncate sealed entries of the audit log that are in no file of its archive yet',
  attempt: async (target) => {
    await using world = await createWorld(target);
    await world.startService('--workers', '0');
    await sealTopic(world, 'Sealed');
    const changes = [`update ${log} set actor = 'nobody'`, `delete from ${log}`];
    for (const sql of world.kind === 'postgresql' ? [...changes, `truncate ${log}`] : changes) {
      const isDone = await world.execute(sql).then(
        () => true,
        () => false,
      );
      if (isDone) return `${sql} was not refused`;
    }
    return null;
  },
};

/** Returns the statements that exchange the columns which tell two entries apart, but not their places in the chain. */
function swap(one: number, other: number): string {
  const columns = ['actor', 'action', 'entity_type', 'entity_id', 'changes', 'mac', 'nonce'];
  const exchanged = columns.map(
    (name) => `${name} = (select ${name} from before where seq = ${one + other} - ${log}.seq)`,
  );
  return `create table before as select * from ${log}; update ${log} set nonce = id where seq in (${one}, ${other});
    update ${log} set ${exchanged.join()} where seq in (${one}, ${other}); drop table before`;
}

async function sealTopic(world: ServiceWorld, name: string): Promise<void> {
  await world.run('topic:save', '--name', name);
  await eventually('all entries are sealed', async () => (await world.run('audit:verify')).unsealed === 0);
}

export const auditLogAttacks = [truncatedLog, forgedLog];
