import { expect } from 'chai';
import fc from 'fast-check';
import { type Chain, loopClosedBy } from '#core/event/event-rule';
import { recordWorld, refusal, smallCompany } from '../../support/record-world.ts';

describe('loops of chained templates', () => {
  it('are found, the shortest one and from its beginning', () => {
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

  it('never come to be, in whatever order chains are added', () => {
    const node = fc.integer({ min: 1, max: 6 });
    fc.assert(
      fc.property(fc.array(fc.record({ from: node, to: node }), { maxLength: 20 }), (wanted) => {
        const kept: Chain[] = [];
        for (const chain of wanted) {
          const loop = loopClosedBy(chain, kept);
          if (!loop) {
            kept.push(chain);
            continue;
          }
          expect([loop[0], loop[1], loop.at(-1)]).to.deep.equal([chain.from, chain.to, chain.from]);
          for (let at = 1; at < loop.length - 1; at++)
            expect(kept).to.deep.include({ from: loop[at], to: loop[at + 1] });
        }
        // What is left can be taken apart from its ends: an order exists.
        let left = kept;
        for (let before = -1; before !== left.length; ) {
          before = left.length;
          left = left.filter(({ to }) => left.some(({ from }) => from === to));
        }
        expect(left).to.deep.equal([]);
      }),
    );
  });

  it('are refused when a rule is saved that would close one, unless it is disabled', async () => {
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
