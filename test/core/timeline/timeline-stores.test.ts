import { type SlotCounts, type TaskRow, type TaskState, type Timeline, taskStates } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { type OpenedStore, storeKinds } from '../../support/store/store-kinds.ts';
import { TimelineWorld } from './timeline-world.ts';

const minute = 60_000;
const hour = 60 * minute;
const from = Date.UTC(2026, 9, 24);
const to = from + 72 * hour;
const slots = 24;

/** A Task as a property makes it up: of which template, when its window starts, and in which state it is. */
interface MadeTask {
  readonly template: 0 | 1;
  readonly start: number;
  readonly state: TaskState;
}

// Some begin before the range, at its ends, and at the ends of slots.
const starts = fc.oneof(
  fc.integer({ min: -4 * hour, max: 76 * hour }),
  fc.constantFrom(-1, 0, 1, 3 * hour, 3 * hour - 1, 72 * hour - 1, 72 * hour),
);
const madeTasks: fc.Arbitrary<MadeTask[]> = fc.uniqueArray(
  fc.record({
    template: fc.constantFrom(0, 1),
    start: starts,
    state: fc.oneof(fc.constant('fulfilled' as const), fc.constantFrom(...taskStates)),
  }),
  { maxLength: 60, selector: ({ template, start }) => `${template} ${start}` },
);

function rowOf(ids: readonly number[], company_id: number, { template, start, state }: MadeTask): Partial<TaskRow> {
  const window_start = from + start;
  const isLive = state === 'open' || state === 'running';
  return {
    runtemplate_id: ids[template] as number,
    company_id,
    window_start,
    window_end: window_start + hour,
    deadline: window_start + 30 * minute,
    state,
    ended_at: isLive ? null : window_start + minute,
  };
}

/** Counts the Tasks of one template by slot and state, as a timeline does. */
function countsOf(made: readonly MadeTask[]): SlotCounts {
  const counts: Record<string, number[]> = {};
  for (const { start, state } of made) {
    const list = counts[state] ?? new Array<number>(slots).fill(0);
    counts[state] = list;
    const slot = Math.floor(start / (3 * hour));
    list[slot] = (list[slot] ?? 0) + 1;
  }
  const entries = Object.entries(counts).map(([state, list]) => [
    state,
    state === 'fulfilled' ? list : [...list.entries()].filter(([, count]) => count > 0),
  ]);
  return Object.fromEntries(entries);
}

const isInside = ({ start }: MadeTask) => start >= 0 && from + start < to;

for (const [kind, open] of Object.entries(storeKinds))
  describe(`A timeline of the store ${kind}`, () => {
    let opened: OpenedStore;
    let world: TimelineWorld;
    let company: number;
    let ids: number[];

    before(async () => {
      opened = await open();
      world = new TimelineWorld(opened.store);
      company = await world.company('Acme');
      ids = [await world.template(company, { name: 'a' }), await world.template(company, { name: 'b' })];
    });
    after(() => opened.close());

    const rowsOf = (timeline: Timeline) => timeline.templates.filter(({ id }) => ids.includes(id));

    it('counts by slot and state what it would list', async () => {
      const property = fc.asyncProperty(madeTasks, async (made) => {
        await world.clear();
        await world.tasks(made.map((each) => rowOf(ids, company, each)));
        const listed = await world.timeline({ from, to, slots: 200 });
        const counted = await world.timeline({ from, to, slots });
        for (const [index, row] of rowsOf(listed).entries()) {
          const inside = made
            .filter((each) => each.template === index && isInside(each))
            .sort((one, other) => one.start - other.start);
          const known = row.tasks?.start.map((start, at) => [start, taskStates[row.tasks?.state[at] ?? 0]]);
          expect(known?.filter(([start]) => Number(start) >= 0)).to.deep.equal(
            inside.map(({ start, state }) => [start, state]),
          );
          const other = rowsOf(counted)[index];
          if (inside.length > slots / 2) expect(other?.counts).to.deep.equal(countsOf(inside));
          else expect(other?.counts).to.equal(null);
        }
      });
      await fc.assert(property, { numRuns: 40 });
    });

    it('counts the same where Tasks that were not fulfilled are fewer than all and where they are not', async () => {
      const all: MadeTask[] = Array.from({ length: 30 }, (_, at) => ({
        template: 0,
        start: at * hour,
        state: at % 3 === 0 ? 'failed' : 'fulfilled',
      }));
      for (const made of [all, all.map((each) => ({ ...each, state: 'missed' as const }))]) {
        await world.clear();
        await world.tasks(made.map((each) => rowOf(ids, company, each)));
        const [row] = rowsOf(await world.timeline({ from, to, slots }));
        expect(row?.counts).to.deep.equal(countsOf(made));
      }
    });

    it('lists a Task in whose window it begins, with the attempts that have started', async () => {
      await world.clear();
      const running = rowOf(ids, company, { template: 0, start: 0, state: 'running' });
      const [task] = await world.tasks([
        { ...running, attempts: 2 },
        rowOf(ids, company, { template: 1, start: hour, state: 'fulfilled' }),
      ]);
      const job = {
        runtemplate_id: ids[0] as number,
        company_id: company,
        task_id: task as number,
        scheduled_at: from,
      };
      const [failed, second] = await world.jobs([
        { ...job, state: 'failed', started_at: from + minute, finished_at: from + 2 * minute },
        { ...job, state: 'running', started_at: from + 40 * minute },
        { ...job, state: 'scheduled' },
      ]);
      const { templates, job_states } = await world.timeline({ from: from + 30 * minute, to });
      const { tasks } = templates[0] ?? {};
      expect(tasks).to.deep.include({ id: [task], start: [-30 * minute], end: [30 * minute], deadline: [0] });
      expect(tasks?.attempts).to.deep.equal([
        [
          [failed, -29 * minute, -28 * minute, job_states.indexOf('failed')],
          [second, 10 * minute, null, job_states.indexOf('running')],
        ],
      ]);
      expect((await world.timeline({ from: from + 61 * minute, to })).templates[0]?.tasks?.id).to.deep.equal([]);
    });

    it('finds templates by the states of their Tasks', async () => {
      await world.clear();
      await world.tasks([
        rowOf(ids, company, { template: 0, start: 0, state: 'running' }),
        rowOf(ids, company, { template: 1, start: hour, state: 'failed' }),
      ]);
      const found = async (...states: ('running' | 'failed' | 'missed')[]) =>
        (await world.timeline({ from, to, states })).templates.map(({ id }) => id);
      expect(await found('running')).to.deep.equal([ids[0]]);
      expect(await found('running', 'failed')).to.deep.equal(ids);
      expect(await found('missed')).to.deep.equal([]);
      expect((await world.timeline({ from: from + 2 * hour, to, states: ['failed'] })).templates).to.deep.equal([]);
    });
  });
