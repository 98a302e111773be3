import { Event } from '@horarium/core';
import { expect } from 'chai';
import { type EventJob, selectableOf } from '#core/event/processor/ended-jobs';
import { batchPlans, fillsBatch, maxJobs } from '#core/event/processor/plan-batches';
import { planRules, type RulePlan } from '#core/event/processor/plan-jobs';
import { EventRule, type EventRuleRow } from '#core/event/rule/event-rule';
import { maxPlanned } from '#core/event/rule/planning-budget';
import { timeSlice } from '#core/loop/yield-to-event-loop';
import { newRow } from '#core/store/table';

const eventOf = (payload: Record<string, unknown> = {}) => ({
  ...newRow(Event, { kind: 'source', payload }),
  ...{ id: 1, revision: 1, created_at: 0, updated_at: 0 },
});
const endOfJob = { ...eventOf(), kind: 'job', event: 'succeeded', job_id: 1 } as const;

function rulesOf(...mappings: readonly EventRuleRow['env_mapping'][]): EventRuleRow[] {
  return mappings.map((env_mapping, index) => ({
    ...newRow(EventRule, { company_id: 1, runtemplate_id: 1, env_mapping }),
    ...{ id: index + 1, revision: 1, created_at: 0, updated_at: 0 },
  }));
}

const planning = { max: 1000, checkTime: () => undefined };

/** A job that left a result and a file, whose App names twenty patterns. */
function jobThatLeft(result: string): EventJob {
  const artifacts = Array.from({ length: 20 }, (_, index) => ({ name: `file${index}`, path: `${index}` }));
  const names = ['r.json', 'a.txt'];
  return {
    app: { id: 1, artifacts, result_file: 'r.json' },
    files: names.map((filename, index) => ({ id: index + 1, filename, size: 10 })),
    result,
  };
}

/** Counts how often a text is parsed while something is done. */
async function parsesOf(text: string, work: () => Promise<unknown>): Promise<number> {
  const { parse } = JSON;
  let count = 0;
  JSON.parse = (parsed: string, ...more: []) => {
    if (parsed === text) count += 1;
    return parse(parsed, ...more);
  };
  try {
    await work();
  } finally {
    JSON.parse = parse;
  }
  return count;
}

describe('The planning of an event', () => {
  for (const [what, result] of [
    ['parses', '{"a": 1}'],
    ['does not parse', '{"a": 1}]'],
  ] as const)
    it(`parses a result that ${what} once, however many rules read it`, async () => {
      const ended = jobThatLeft(result);
      const rules = rulesOf(...Array.from({ length: 50 }, () => ({ A: '$.a', B: '$.b' })));
      const from = selectableOf(endOfJob, ended, () => false);
      const count = await parsesOf(result, () => planRules(endOfJob, rules, from, planning));
      expect(count).to.equal(1);
    });

  it('matches the files of a job against a pattern once, also one that matches none', async () => {
    const ended = jobThatLeft('{}');
    let matches = 0;
    const from = selectableOf(endOfJob, ended, () => {
      matches += 1;
      return false;
    });
    const rules = rulesOf(...Array.from({ length: 50 }, () => ({ A: '@file:file1' })));
    const plans = await planRules(endOfJob, rules, from, planning);
    expect(matches).to.equal(ended.files.length);
    expect(plans.map(({ problem }) => problem)).to.deep.equal(
      rules.map(() => 'A by @file:file1: its job left no file file1'),
    );
  });

  it('gives the event loop turns while selectors take long', async () => {
    const ended = jobThatLeft('{}');
    const from = selectableOf(endOfJob, ended, () => {
      for (const begin = performance.now(); performance.now() - begin < 10; );
      return true;
    });
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const rules = rulesOf(...Array.from({ length: 20 }, (_, index) => ({ A: `@file:file${index}` })));
    const { duration } = timeSlice;
    timeSlice.duration = 10;
    try {
      await planRules(endOfJob, rules, from, planning);
    } finally {
      timeSlice.duration = duration;
      isOver = true;
    }
    expect(turns).to.be.at.least(10);
  });

  it('charges a rule that finds nothing for what it has looked at', async () => {
    const lines = Array.from({ length: 50_000 }, (_, index) => ({ [`k${index}`]: 0 }));
    const event = eventOf({ lines });
    const from = selectableOf(event, jobThatLeft('{}'), () => false);
    const plans = await planRules(event, rulesOf(...Array(20).fill({ A: '$.lines[*].n' })), from, planning);
    const problems = plans.map(({ problem }) => problem?.replace(/^.*: the/, 'the'));
    const limit = `the jobs of one event get at most ${maxPlanned} characters in a company, and these are more`;
    expect(problems).to.deep.equal([
      ...Array(10).fill('the event has nothing at $.lines[0].n'),
      ...Array(10).fill(limit),
    ]);
  });

  it('charges the rules of each company alone', async () => {
    const event = eventOf({ text: 'x'.repeat(3_000_000) });
    const from = selectableOf(event, jobThatLeft('{}'), () => false);
    const [one, other, third] = rulesOf({ A: 'text' }, { A: 'text' }, { A: 'text' }) as [
      EventRuleRow,
      EventRuleRow,
      EventRuleRow,
    ];
    const plans = await planRules(event, [one, { ...other, company_id: 2 }, third], from, planning);
    expect(plans.map(({ problem }) => problem === null)).to.deep.equal([true, true, false]);
  });

  it('ends when it takes too long', async () => {
    let asked = 0;
    const checkTime = () => {
      asked += 1;
      if (asked > 3) throw new Error('too long');
    };
    const event = eventOf({ id: 1 });
    const from = selectableOf(event, jobThatLeft('{}'), () => false);
    const failure = await planRules(event, rulesOf(...Array(9).fill({ A: 'id' })), from, { max: 1, checkTime }).catch(
      (error: Error) => error.message,
    );
    expect([failure, asked]).to.deep.equal(['too long', 4]);
  });
});

describe('The batches in which rules fire', () => {
  const plan = (jobs: number, size = 0): RulePlan => ({
    rule: rulesOf({})[0] as EventRuleRow,
    jobs: Array.from({ length: jobs }, () => ({})),
    size,
    problem: null,
  });
  const shapeOf = (events: readonly { readonly plans: readonly RulePlan[] }[]) =>
    batchPlans(events).map((batch) =>
      batch.map(({ plans, isLast }) => `${plans.map(({ jobs }) => jobs.length).join('+')}${isLast ? '' : ' …'}`),
    );

  it('hold the plans of many events while their jobs are few', () => {
    const events = [{ plans: [plan(1), plan(2)] }, { plans: [] }, { plans: [plan(3)] }];
    expect(shapeOf(events)).to.deep.equal([['1+2', '', '3']]);
    expect(fillsBatch(events)).to.equal(false);
  });

  it('divide the plans of an event that make many jobs, but not the plan of a rule', () => {
    expect(shapeOf([{ plans: [plan(1), plan(maxJobs), plan(1000), plan(1)] }, { plans: [plan(1)] }])).to.deep.equal([
      ['1 …'],
      [`${maxJobs} …`],
      ['1000 …'],
      ['1', '1'],
    ]);
  });

  it('divide plans that hand on much', () => {
    const events = [{ plans: [plan(1, maxPlanned - 1), plan(1, 2)] }];
    expect(shapeOf(events)).to.deep.equal([['1 …'], ['1']]);
    expect(fillsBatch(events)).to.equal(true);
  });
});
