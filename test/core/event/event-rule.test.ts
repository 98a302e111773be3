import { EventRule } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { type Chain, loopClosedBy } from '#core/event/rule/chain-loop';
import { newRow } from '#core/store/table';
import { invalidFields, recordWorld, refusal, root, smallCompany } from '../../support/worlds/record-world.ts';
import { recordReads } from '../../support/worlds/recorded-reads.ts';

describe('Chains of templates', () => {
  const loopAmong = (added: Chain, chains: readonly Chain[]) =>
    loopClosedBy(added, async (templates) => chains.filter(({ from }) => templates.includes(from)));

  it('report the shortest loop that a new chain would close', async () => {
    const chains: Chain[] = [
      { from: 1, to: 2 },
      { from: 2, to: 3 },
      { from: 1, to: 3 },
    ];
    for (const [from, to, loop] of [
      [3, 1, [3, 1, 3]],
      [2, 1, [2, 1, 2]],
      [4, 4, [4, 4]],
      [3, 4, null],
      [4, 1, null],
    ] as const)
      expect(await loopAmong({ from, to }, chains)).to.deep.equal(loop);
  });

  it('never form a loop when every chain that closes one is rejected, in any order', async () => {
    const node = fc.integer({ min: 1, max: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ from: node, to: node }), { maxLength: 20 }), async (wanted) => {
        const accepted: Chain[] = [];
        for (const chain of wanted) {
          const loop = await loopAmong(chain, accepted);
          if (!loop) {
            accepted.push(chain);
            continue;
          }
          expect([loop[0], loop[1], loop.at(-1)]).to.deep.equal([chain.from, chain.to, chain.from]);
          for (let at = 1; at < loop.length - 1; at++)
            expect(accepted).to.deep.include({ from: loop[at], to: loop[at + 1] });
        }
        // Removing chains from the end, again and again, leaves none: the graph has a topological order.
        let remaining = accepted;
        for (let before = -1; before !== remaining.length; ) {
          before = remaining.length;
          remaining = remaining.filter(({ to }) => remaining.some(({ from }) => from === to));
        }
        expect(remaining).to.deep.equal([]);
      }),
    );
  });

  it('reject an event rule that would close a loop, unless the rule is disabled', async () => {
    const world = recordWorld();
    const { app, company, template: first } = await smallCompany(world);
    const fields = { app_id: app.id, company_id: company.id, interval: 'none' };
    const second = await world.save('RunTemplate', { ...fields, name: 'second' });
    await world.save('EventRule', { runtemplate_source_id: first.id, runtemplate_id: second.id });
    const back = { runtemplate_source_id: second.id, runtemplate_id: first.id };
    const error = await refusal(world.save('EventRule', back));
    expect([error.code, error.message]).to.deep.equal([
      'conflict',
      `This rule would close a loop: RunTemplate ${second.id} → RunTemplate ${first.id} → RunTemplate ${second.id}.`,
    ]);
    const rule = await world.save('EventRule', { ...back, enabled: false });
    expect((await refusal(world.save('EventRule', { id: rule.id, enabled: true }))).code).to.equal('conflict');
    const self = { runtemplate_source_id: first.id, runtemplate_id: first.id };
    expect((await refusal(world.save('EventRule', self))).code).to.equal('conflict');
  });
});

describe('Event rules', () => {
  const rulesOf = (runtemplate_source_id: number, runtemplate_id: number, company_id: number, count: number) =>
    Array.from({ length: count }, () => newRow(EventRule, { runtemplate_source_id, runtemplate_id, company_id }));

  it('are limited in number: in a company, and that follow one template', async () => {
    const world = recordWorld();
    const { app, company, template: first } = await smallCompany(world);
    const fields = { app_id: app.id, company_id: company.id, interval: 'none' };
    const targets = [];
    for (let index = 0; index < 11; index += 1)
      targets.push(await world.save('RunTemplate', { ...fields, name: `target ${index}` }));
    const rows = targets.slice(1).flatMap(({ id }) => rulesOf(id, first.id, company.id, 100));
    await world.store.transaction(root, (tables) => tables.of(EventRule).insert(rows.slice(0, 999)));
    const rule = { runtemplate_id: first.id };
    const followed = { ...rule, runtemplate_source_id: targets[1].id };
    const { code, message } = await refusal(world.save('EventRule', followed));
    expect([code, message]).to.deep.equal([
      'conflict',
      `Company ${company.id} has 100 event rules that follow RunTemplate ${targets[1].id}, which is the limit: delete others first.`,
    ]);
    const last = await world.save('EventRule', { ...rule, runtemplate_source_id: targets[0].id });
    const beyond = await refusal(world.save('EventRule', { ...rule, runtemplate_source_id: targets[0].id }));
    expect([beyond.code, beyond.message]).to.deep.equal([
      'conflict',
      `Company ${company.id} has 1000 event rules, which is the limit: delete others first.`,
    ]);
    await world.save('EventRule', { id: last.id, name: 'changed' });
    const moved = { id: last.id, runtemplate_source_id: targets[1].id };
    expect((await refusal(world.save('EventRule', moved))).code).to.equal('conflict');
  });

  it('are saved without reading the others of their company but for the chains that lead on', async () => {
    const world = recordWorld();
    const { app, company, template: first } = await smallCompany(world);
    const fields = { app_id: app.id, company_id: company.id, interval: 'none' };
    const [second, third] = [
      await world.save('RunTemplate', { ...fields, name: 'second' }),
      await world.save('RunTemplate', { ...fields, name: 'third' }),
    ];
    await world.save('EventRule', { runtemplate_source_id: second.id, runtemplate_id: third.id });
    const reads = recordReads(world);
    await world.save('EventRule', { runtemplate_source_id: first.id, runtemplate_id: second.id });
    const columns = ['runtemplate_source_id', 'runtemplate_id'];
    expect(reads.filter(({ table }) => table === 'EventRule')).to.deep.equal([
      { table: 'EventRule', columns },
      { table: 'EventRule', columns },
    ]);
  });

  it('have a limited number of selectors of a limited length', async () => {
    const world = recordWorld();
    const keys = Array.from({ length: 65 }, (_, index) => `KEY${index}`);
    const environment = Object.fromEntries(keys.map((key) => [key, { type: 'string' }]));
    const { app, template } = await smallCompany(world);
    await world.save('App', { id: app.id, environment });
    const source = await world.save('EventSource', { name: 'shop', kind: 'changes-table', options: { host: 'db' } });
    const save = (env_mapping: object) =>
      world.save('EventRule', { event_source_id: source.id, runtemplate_id: template.id, env_mapping });
    const mapping = Object.fromEntries(keys.map((key) => [key, 'x'.repeat(256)]));
    expect((await refusal(save(mapping))).message).to.include('env_mapping may have at most 64 keys');
    const { KEY0: _first, ...others } = mapping;
    await save(others);
    expect(await invalidFields(save({ KEY0: 'x'.repeat(257) }))).to.deep.equal(['env_mapping.KEY0']);
  });

  it('of a source name no event, which only rules of a template do', async () => {
    const world = recordWorld();
    const { app, company, template } = await smallCompany(world);
    const source = await world.save('EventSource', { name: 'shop', kind: 'changes-table', options: { host: 'db' } });
    const other = await world.save('RunTemplate', {
      app_id: app.id,
      company_id: company.id,
      name: 'other',
      interval: 'none',
    });
    const rule = { event_source_id: source.id, runtemplate_id: template.id };
    expect(await invalidFields(world.save('EventRule', { ...rule, event: 'succeeded' }))).to.deep.equal(['event']);
    const chained = await world.save('EventRule', {
      runtemplate_source_id: other.id,
      runtemplate_id: template.id,
      event: 'failed',
    });
    const moved = { id: chained.id, runtemplate_source_id: null, event_source_id: source.id };
    expect((await world.save('EventRule', moved)).event).to.equal(null);
  });

  for (const [selector, path] of [
    ['produces.inv.items[*].n', '$.inv.items[*].n'],
    ['produces.inv.items.0.n', '$.inv.items[0].n'],
    ['produces.inv.items[0].n', '$.inv.items[0].n'],
    ['produces.inv.items.n', '$.inv.items.n'],
  ] as const)
    it(`refuse ${selector}, which would read deeper than one field, and name ${path}`, async () => {
      const world = recordWorld();
      const { app, company, template } = await smallCompany(world);
      const declared = { result_file: 'r.json', produces: { inv: { format: 'json' } }, environment: { V: {} } };
      await world.save('App', { id: app.id, ...declared });
      const fields = { app_id: app.id, company_id: company.id, name: 'other', interval: 'none' };
      const source = await world.save('RunTemplate', fields);
      const save = (text: string) =>
        world.save('EventRule', {
          runtemplate_source_id: source.id,
          runtemplate_id: template.id,
          env_mapping: { V: text },
        });
      const { code, message } = await refusal(save(selector));
      expect(code).to.equal('invalid');
      expect(message)
        .to.match(/produces\.NAME\.FIELD reads one field/)
        .and.to.include(`write ${path}`);
      await save(path);
      await save('produces.inv.items');
    });
});
