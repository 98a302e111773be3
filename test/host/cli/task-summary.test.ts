import { Task, type TaskRow } from '@horarium/core';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import { cliDatabases } from '../../support/program/cli-databases.ts';
import { changeStore } from '../../support/program/doctor.ts';
import type { TestCli } from '../../support/program/test-cli.ts';

const hour = 3_600_000;
const noon = Date.parse('2026-11-20T11:00:00Z');

for (const { database, openCli } of cliDatabases)
  describe(`task:summary on ${database}`, () => {
    let cli: TestCli;
    before(async () => {
      cli = await openCli();
      for (const [index, company] of ['acme', 'bits'].entries()) {
        await cli.command(`company:save --code ${company} --name ${company}`);
        await cli.command(`app:save --name ${company} --executable true`);
        const template = `--code t-${company} --name t --company-id ${company} --app-id ${index + 1}`;
        await cli.command(`runtemplate:save ${template} --interval hourly`);
      }
    });
    after(() => cli[Symbol.dispose]());

    const summary = (options = '') => cli.command(`task:summary${options && ` ${options}`}`);

    /** Adds Tasks of a template with these states, whose windows begin an hour apart from a time on. */
    const addTasks = (template: number, from: number, states: readonly TaskRow['state'][]) =>
      changeStore(cli, (store) =>
        store.transaction(async (tables) => {
          const rows = states.map((state, index) => {
            const window_start = from + index * hour;
            const window = { window_start, window_end: window_start + hour, deadline: window_start + hour };
            const written = { created_at: from, updated_at: from };
            return newRow(Task, { runtemplate_id: template, company_id: template, state, ...window, ...written });
          });
          await tables.of(Task).insert(rows as never);
        }),
      );

    it('has no rows where nothing was owed', async () => {
      expect((await summary()).out).to.equal('(none)\n');
      expect((await summary('--format csv')).out).to.match(/^day,runtemplate_id,company_id,open,.*,on_time_rate\r\n$/);
    });

    it('counts Tasks by template and day, the newest first, and names the templates', async () => {
      await addTasks(1, noon, ['fulfilled', 'fulfilled', 'fulfilled_late', 'cancelled']);
      await addTasks(1, noon + 24 * hour, ['missed']);
      await addTasks(2, noon, ['fulfilled', 'open']);
      const { out } = await summary('--from 2026-11-20 --to 2026-11-22');
      const rows = out.trimEnd().split('\n');
      expect(rows.map((row) => row.split(/ {2,}/))).to.deep.equal([
        'day runtemplate company fulfilled fulfilled_late failed missed owed on_time_rate'.split(' '),
        ['2026-11-21', '1 t-acme', 'acme', '0', '0', '0', '1', '1', '0 %'],
        ['2026-11-20', '1 t-acme', 'acme', '2', '1', '0', '0', '3', '66.6 %'],
        ['2026-11-20', '2 t-bits', 'bits', '1', '0', '0', '0', '2', '100 %'],
      ]);
    });

    it('has all numbers for programs, and is narrowed by time, template and company', async () => {
      const days = async (options: string) => (await summary(`--from 2026-11-20 ${options} --format json`)).json;
      const all = await days('--to 2026-11-22');
      expect(all).to.have.length(3);
      expect(all[2]).to.deep.include({ runtemplate_id: 2, open: 1, running: 0, owed: 2, on_time_rate: 1 });
      expect(await days('--to 2026-11-20')).to.deep.equal(all.slice(1));
      expect(await days('--to 2026-11-22 --template t-acme')).to.deep.equal(all.slice(0, 2));
      expect(await days('--to 2026-11-22 --company bits')).to.deep.equal(all.slice(2));
    });
  });
