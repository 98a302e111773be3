import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Core, type JobRow, memoryStore, trustedActor } from '@horarium/core';
import { nodePorts } from '@horarium/core/node';
import { expect } from 'chai';
import type { NativeExecutor } from '../../../plugins/executor-native/native-executor.ts';
import { nativeExecutor } from '../../support/executors/native-executor.ts';
import { eventually } from '../../support/mocha/eventually.ts';

describe('Files that a chain hands over to native jobs', () => {
  const actor = trustedActor('anna', 'embedded');
  let folder: string;
  let executor: NativeExecutor;
  let core: Core;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'horarium-given-'));
    executor = nativeExecutor({ folder });
    core = new Core({ ...nodePorts(), store: memoryStore(), executors: [executor], timezone: 'UTC' });
    await core.start();
    const { id: company_id } = await core.companies.save(actor, { code: 'acme', name: 'Acme' });
    const template = async (name: string, script: string, app: object) => {
      const words = ['-c', script, 'job', ...(name === 'load' ? ['{DUMP}'] : [])];
      const { id: app_id } = await core.apps.save(actor, { name, executable: 'sh', arguments: words, ...app });
      const fields = { name, code: name, app_id, company_id, interval: 'none', overlap: 'allow' } as const;
      return (await core.runTemplates.save(actor, fields)).id;
    };
    const artifacts = [{ name: 'dump', path: '\\.sql$' }];
    const dump =
      'mkdir out; echo "one $0" > out/a.sql; echo two > b.sql; echo \'{"dump": {"tables": 2}}\' > result.json';
    const produces = { dump: { format: 'sql' } };
    const source = await template('dump', dump, { artifacts, produces, result_file: 'result.json' });
    const environment = { DUMP: { type: 'file-path', required: true }, TABLES: { type: 'integer' } };
    const target = await template('load', 'cat "$1"; echo "$TABLES $(basename "$DUMP")"; pwd', { environment });
    const env_mapping = { DUMP: '@file:dump', TABLES: 'produces.dump.tables' };
    await core.eventRules.save(actor, { runtemplate_source_id: source, runtemplate_id: target, env_mapping });
    await core.jobs.schedule(actor, { runtemplate_id: source });
  });
  after(async () => {
    await core.stop(0);
    await executor.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const ended = (count: number) =>
    eventually(`the end of ${count} jobs`, async () => {
      const { rows } = await core.jobs.list(actor, { order: 'id' });
      return rows.length === count && rows.every(({ finished_at }) => finished_at !== null) && rows;
    });
  const outputOf = async ({ id }: JobRow) =>
    (await core.forChannels.serialize(core.jobs.resource, [await core.jobs.get(actor, id)], 'item'))[0];

  it('run one job for each file, which reads it at the path that its variable and its arguments hold', async () => {
    const [, ...loads] = await ended(3);
    const shown = await Promise.all(loads.map(outputOf));
    const outputs = shown.map((job) => String(job?.['stdout']).split('\n').slice(0, 2));
    expect(outputs.toSorted()).to.deep.equal([
      ['one job', '2 a.sql'],
      ['two', '2 b.sql'],
    ]);
    for (const job of shown)
      expect(job?.['environment'])
        .to.have.property('DUMP')
        .that.matches(/^@file:\d+\/[ab]\.sql$/);
  });

  it('are removed when their job has ended', async () => {
    await ended(3);
    const launcher = () => readdirSync(folder).flatMap((name) => readdirSync(join(folder, name)));
    await eventually('the removal of the files', () => !launcher().some((name) => name.startsWith('given-')));
  });
});
