import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { readDocument } from '../support/docs/documents.ts';
import { missingPrograms, PageRunner, prepareFolder } from '../support/docs/page-runner.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { temporaryFolder } from '../support/mocha/temporary-folder.ts';
import type { TestCli } from '../support/program/test-cli.ts';

/** The output of the jobs that have succeeded, by id. */
async function outputs(cli: TestCli): Promise<string[]> {
  const { json } = await cli.command('job:list --state succeeded --order id --format json');
  return Promise.all((json as { id: number }[]).map(async ({ id }) => (await cli.command(`job:output ${id}`)).out));
}

describe('The page on changes of a table', () => {
  it('starts a job for each row that is added', async () => {
    const folder = temporaryFolder('changes');
    const [, table = ''] =
      /```sql\n(create table .*?)```/s.exec(readDocument('plugins/docs/handbook/react/tables.md')) ?? [];
    using changes = disposable(new Database(join(folder, 'shop.sqlite')));
    changes.exec(table);
    using prepared = await prepareFolder();
    await using runner = await PageRunner.start(prepared, {
      settings: {
        HORARIUM_PLUGIN_OPTIONS: JSON.stringify({ 'event-source-changes-table': { sqlite_folders: [folder] } }),
      },
      replaced: { '/srv/webhooks': folder },
    });
    const printed = await runner.runPage('react/tables');
    expect(printed.join('')).to.include('The service can read its events.');
    changes.exec("insert into changes_cache (recordid, evidence, operation) values ('o-1001', 'order', 'create')");
    await eventually('the row has started a job', async () => {
      return (await outputs(runner.cli)).join('') === 'invoice for o-1001\n';
    });
    expect(runner.service.problems).not.to.match(/"level":(?:50|60)/);
  });
});

describe('The page on webhooks', () => {
  it('starts a job by a signed request, once for each id', async function () {
    if (missingPrograms(['curl', 'openssl', 'base64']).length > 0) this.skip();
    using prepared = await prepareFolder();
    await using runner = await PageRunner.start(prepared);
    const printed = await runner.runPage('react/webhooks-in');
    expect(printed.at(-1)?.trim()).to.equal('{"event_id":1}');
    await eventually('the webhook has started a job', async () => {
      return (await outputs(runner.cli)).join('') === 'invoice for o-1002\n';
    });
    expect(runner.service.problems).not.to.match(/"level":(?:50|60)/);
  });
});

function disposable<T extends { close(): unknown }>(resource: T): T & Disposable {
  return Object.assign(resource, { [Symbol.dispose]: () => void resource.close() });
}
