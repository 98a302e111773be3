import { expect } from 'chai';
import fc from 'fast-check';
import { type Contender, type DueJob, inOrder, inTurn, shareOf, takeTurns } from '#core/queue/turns';

/** Companies with jobs in their order, as a claim reads them. */
const contenders: fc.Arbitrary<Contender[]> = fc
  .uniqueArray(
    fc.tuple(
      fc.integer({ min: 1, max: 50 }),
      fc.nat(5),
      fc.nat(8),
      fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 1, maxLength: 8 }),
    ),
    {
      selector: ([company]) => company,
      maxLength: 8,
    },
  )
  .map((companies) =>
    companies.map(([company, used, limit, ranks]) => {
      const jobs = ranks.map((rank, index): DueJob => {
        const id = company * 100 + index;
        return {
          id,
          runtemplate_id: 1,
          company_id: company,
          caught_up: false,
          rank,
          executor: 'native',
          queue_at: 1000 - (index % 3),
        };
      });
      return { company, used, limit, jobs: jobs.sort(inOrder) };
    }),
  );

function countOf(taken: readonly DueJob[], company: number): number {
  return taken.filter((job) => job.company_id === company).length;
}

describe('Turns', () => {
  it('leave no slot free while a company below its limit has a job left, and exceed no limit', () => {
    fc.assert(
      fc.property(contenders, fc.nat(30), (companies, slots) => {
        const taken = takeTurns(companies, slots);
        const possible = companies.map(({ used, limit, jobs }) => Math.min(jobs.length, Math.max(0, limit - used)));
        expect(taken.length).to.equal(
          Math.min(
            slots,
            possible.reduce((sum, jobs) => sum + jobs, 0),
          ),
        );
        for (const [index, { company }] of companies.entries())
          expect(countOf(taken, company)).to.be.at.most(possible[index] as number);
      }),
    );
  });

  it('give each company its first jobs in their order', () => {
    fc.assert(
      fc.property(contenders, fc.nat(30), (companies, slots) => {
        const taken = takeTurns(companies, slots);
        for (const { company, jobs } of companies) {
          const own = taken.filter((job) => job.company_id === company);
          expect(own).to.deep.equal(jobs.slice(0, own.length));
        }
      }),
    );
  });

  it('pass over no company for one that holds more by then', () => {
    fc.assert(
      fc.property(contenders, fc.nat(30), (companies, slots) => {
        const taken = takeTurns(companies, slots);
        for (const passed of companies) {
          const given = countOf(taken, passed.company);
          if (given === passed.jobs.length || passed.used + given >= passed.limit) continue;
          for (const { company, used } of companies)
            if (countOf(taken, company) > 0)
              expect(used + countOf(taken, company)).to.be.at.most(passed.used + given + 1);
        }
      }),
    );
  });

  it('give caught-up jobs the slots that no company wants for what is owed now', () => {
    fc.assert(
      fc.property(contenders, fc.infiniteStream(fc.boolean()), fc.nat(30), (companies, flags, slots) => {
        const mixed = companies.map((each) => {
          const jobs = each.jobs.map((job) => ({ ...job, caught_up: flags.next().value ?? false }));
          return { ...each, jobs: jobs.sort(inOrder) };
        });
        const taken = takeTurns(mixed, slots);
        const owed = mixed.flatMap(({ used, limit, jobs }) =>
          jobs.filter((job) => !job.caught_up).slice(0, Math.max(0, limit - used)),
        );
        expect(taken.filter((job) => !job.caught_up)).to.have.length(Math.min(slots, owed.length));
      }),
    );
  });

  it('come to every company that waits, however few slots become free at a time and however many jobs the others have', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(12),
        (count, slots, start) => {
          const ids = Array.from({ length: count }, (_, index) => index + 1);
          const jobs = (company_id: number) =>
            Array.from(
              { length: slots },
              (_, id): DueJob => ({
                id,
                runtemplate_id: 1,
                company_id,
                caught_up: false,
                rank: 0,
                executor: 'native',
                queue_at: 0,
              }),
            );
          const served = new Set<number>();
          let last = start;
          for (let claim = 0; claim < Math.ceil(count / slots); claim += 1) {
            const order = inTurn(ids, last);
            const taken = takeTurns(
              order.map((company) => ({ company, used: 0, limit: Infinity, jobs: jobs(company) })),
              slots,
            );
            for (const { company_id } of taken) served.add(company_id);
            last = taken.at(-1)?.company_id ?? last;
          }
          expect(served.size).to.equal(count);
        },
      ),
    );
  });

  for (const [capacity, share] of [
    [1, 1],
    [2, 1],
    [3, 2],
    [4, 3],
    [7, 6],
    [8, 6],
    [1000, 750],
  ] as const)
    it(`leave one company ${share} of ${capacity} slots while another one is enabled`, () => {
      expect(shareOf(capacity)).to.equal(share);
    });
});
