import { RunTemplate, type RunTemplateRow } from '@horarium/core';
import { expect } from 'chai';
import { simulate } from '#core/scheduler/simulate';
import { newRow } from '#core/store/table';
import { MemoryCore } from '../../support/worlds/memory-core.ts';
import { root } from '../../support/worlds/record-world.ts';
import { recordReads } from '../../support/worlds/recorded-reads.ts';

const hour = 3_600_000;
const midnight = Date.UTC(2026, 10, 22);

const template = (id: number, over: Partial<RunTemplateRow>): RunTemplateRow => ({
  ...newRow(RunTemplate, { name: 't', company_id: 1, interval: 'hourly', timezone: 'UTC', ...over }),
  id,
});

/** The templates and due hours of all runs: `1 at 0, 2 at 0.5`. */
async function runs(templates: readonly RunTemplateRow[], from: number, to: number): Promise<string> {
  const found: string[] = [];
  for await (const { templateId, dueAt } of simulate(templates, from, to))
    found.push(`${templateId} at ${(dueAt - midnight) / hour}`);
  return found.join(', ');
}

describe('A simulation', () => {
  it('yields the runs from one moment up to, but not including, another', async () => {
    expect(await runs([template(1, {})], midnight, midnight + 3 * hour)).to.equal('1 at 0, 1 at 1, 1 at 2');
    expect(await runs([template(1, {})], midnight + 1, midnight + 3 * hour + 1)).to.equal('1 at 1, 1 at 2, 1 at 3');
  });

  it('yields the runs of all templates in the order they are due', async () => {
    const templates = [template(1, { delay: 1800 }), template(2, {}), template(3, { interval: 'daily', delay: 5400 })];
    expect(await runs(templates, midnight, midnight + 2 * hour)).to.equal(
      '2 at 0, 1 at 0.5, 2 at 1, 1 at 1.5, 3 at 1.5',
    );
  });

  it('leaves out runs that are due at its end or later, though their windows begin before', async () => {
    expect(await runs([template(1, { delay: 1800 })], midnight, midnight + 1.5 * hour)).to.equal('1 at 0.5');
  });

  it('yields the window and the deadline of each run', async () => {
    const hourly = [template(1, { delay: 600, deadline: '+30m' })];
    for await (const run of simulate(hourly, midnight, midnight + hour))
      expect(run).to.deep.equal({
        templateId: 1,
        dueAt: midnight + hour / 6,
        windowStart: midnight,
        windowEnd: midnight + hour,
        deadline: midnight + hour / 2,
        pauseId: null,
        maintenanceWindowId: null,
      });
  });

  it('yields nothing for templates that have ended or have no interval', async () => {
    const templates = [template(1, { ends_at: midnight }), template(2, { interval: 'none' })];
    expect(await runs(templates, midnight, midnight + 24 * hour)).to.equal('');
  });
});

describe('The simulation of stored templates', () => {
  it('leaves out those whose App or company is disabled, by as many queries as for one template', async () => {
    const core = new MemoryCore();
    const save = async (name: string, input: object) => (await core.records(name).save(root, input)).id;
    const apps = [
      await save('App', { name: 'a', executable: '/bin/true' }),
      await save('App', { name: 'b', executable: '/bin/true', enabled: false }),
    ];
    const companies = [
      await save('Company', { code: 'a', name: 'a' }),
      await save('Company', { code: 'b', name: 'b', enabled: false }),
    ];
    const enabled: number[] = [];
    for (let n = 0; n < 16; n++) {
      const [app_id, company_id] = [apps[n % 2], companies[(n >> 1) % 2]];
      const id = await save('RunTemplate', { name: `t${n}`, app_id, company_id, interval: 'hourly', timezone: 'UTC' });
      if (n % 4 === 0) enabled.push(id);
    }
    const reads = recordReads(core);
    const found: number[] = [];
    for await (const run of core.simulate(root, midnight, midnight + hour)) found.push(run.templateId);
    expect(found).to.deep.equal(enabled);
    expect(reads.map(({ table }) => table)).to.deep.equal(['RunTemplate', 'App', 'Company', 'MaintenanceWindow']);
    expect(reads[0]?.columns, 'environments may be large').to.include('cron').and.not.include('environment');
  });
});
