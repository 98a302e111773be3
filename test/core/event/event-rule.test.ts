import { expect } from 'chai';
import fc from 'fast-check';
import { type Chain, loopClosedBy } from '#core/event/rule/event-rule';
import { recordWorld, refusal, smallCompany } from '../../support/worlds/record-world.ts';

describe('Chains of templates', () => {
  it('report the shortest loop that a new chain would close', () => {
    const chains: Chain[] = [
      { from: 1, to: 2 },
      { from: 2, to: 3 },
      { from: 1, to: 3 },
    ];
    expect(loopClosedBy({ from: 3, to: 1 }, chains)).to.deep.equal([3, 1, 3]);
    expect(loopClosedBy({ from: 2, to: 1 }, chains)).to.deep.equal([2, 1, 2]);
    expect(loopClosedBy({ from: 4, to: 4 }, chains)).to.deep.equal([4, 4]);
    expect(loopClosedBy({ from: 3, to: 4 }, chains)).to.equal(null);
    expect(loopClosedBy({ from: 4, to: 1 }, chains)).to.equal(null);
  });

  it('never form a loop when every chain that closes one is rejected, in any order', () => {
    const node = fc.integer({ min: 1, max: 6 });
    fc.assert(
      fc.property(fc.array(fc.record({ from: node, to: node }), { maxLength: 20 }), (wanted) => {
        const accepted: Chain[] = [];
        for (const chain of wanted) {
          const loop = loopClosedBy(chain, accepted);
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
