import { Job, RunTemplate, type RunTemplateRow, Task } from '@horarium/core';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import { divideByOverlap } from '#core/worker/overlap';

const now = Date.UTC(2026, 10, 21, 5);

/** A job of template 1: its id, and the Task of which it is an attempt; null = it is of none. */
type TestJob = readonly [id: number, task: number | null];

interface Case {
  readonly title: string;
  readonly overlap: RunTemplateRow['overlap'];
  readonly due: readonly TestJob[];
  readonly running?: readonly TestJob[];
  /** The ids of the due jobs that may start. */
  readonly claims: readonly number[];
  /** The ids of the running jobs that block each of the others, by its id. */
  readonly blocked: Readonly<Record<number, readonly number[]>>;
}

const cases: readonly Case[] = [
  {
    title: 'starts one job under forbid, which blocks the others',
    overlap: 'forbid',
    due: [
      [1, 1],
      [2, 2],
      [3, null],
    ],
    claims: [1],
    blocked: { 2: [1], 3: [1] },
  },
  {
    title: 'starts no job under forbid while one runs',
    overlap: 'forbid',
    due: [[2, 2]],
    running: [[1, 1]],
    claims: [],
    blocked: { 2: [1] },
  },
  {
    title: 'starts no job under replace before the running ones have ended',
    overlap: 'replace',
    due: [
      [3, 3],
      [4, null],
    ],
    running: [
      [1, 1],
      [2, null],
    ],
    claims: [],
    blocked: { 3: [1, 2], 4: [1, 2] },
  },
  {
    title: 'starts all jobs under allow, whether they are attempts of Tasks or not',
    overlap: 'allow',
    due: [
      [3, 2],
      [4, 3],
      [5, null],
    ],
    running: [
      [1, 1],
      [2, null],
    ],
    claims: [3, 4, 5],
    blocked: {},
  },
  {
    title: 'blocks an attempt under allow while another one of its Task runs or starts',
    overlap: 'allow',
    due: [
      [2, 1],
      [3, 2],
      [4, 2],
    ],
    running: [[1, 1]],
    claims: [3],
    blocked: { 2: [1], 4: [3] },
  },
];

function jobRow([id, task_id]: TestJob, runtemplate_id = 1) {
  return { ...newRow(Job, { runtemplate_id, task_id, app_id: 1, company_id: 1, scheduled_at: now }), id };
}

function taskRow(id: number, start_deadline: number | null = null) {
  const window = { window_start: now, window_end: now + 1, deadline: now };
  return { ...newRow(Task, { runtemplate_id: 1, company_id: 1, ...window, start_deadline }), id };
}

function templateRow(id: number, overlap: RunTemplateRow['overlap']) {
  return { ...newRow(RunTemplate, { name: 'template', interval: 'none', app_id: 1, company_id: 1, overlap }), id };
}

describe('divideByOverlap', () => {
  for (const { title, overlap, due, running = [], claims, blocked } of cases)
    it(title, () => {
      const divided = divideByOverlap(
        due.map((job) => jobRow(job)),
        {
          templates: new Map([[1, templateRow(1, overlap)]]),
          tasks: new Map([1, 2, 3].map((id) => [id, taskRow(id)])),
          running: running.map((job) => jobRow(job)),
        },
        now,
      );
      expect(divided.claims.map(({ job }) => job.id)).to.deep.equal(claims);
      const blockers = divided.blocked.map(({ claim, blockers }) => [claim.job.id, blockers.map(({ id }) => id)]);
      expect(Object.fromEntries(blockers)).to.deep.equal(blocked);
    });

  it('starts a job under forbid while jobs of other templates run', () => {
    const templates = new Map([1, 2].map((id) => [id, templateRow(id, 'forbid')]));
    const running = [jobRow([1, null], 1)];
    const { claims, blocked } = divideByOverlap([jobRow([2, null], 2)], { templates, tasks: new Map(), running }, now);
    expect([claims.map(({ job }) => job.id), blocked]).to.deep.equal([[2], []]);
  });

  it('starts a job at the start deadline of its Task, and leaves out one that is past it, which blocks none', () => {
    const templates = new Map([[1, templateRow(1, 'forbid')]]);
    const tasks = new Map([
      [1, taskRow(1, now - 1)],
      [2, taskRow(2, now)],
    ]);
    const { claims, blocked } = divideByOverlap(
      [jobRow([1, 1]), jobRow([2, 2])],
      { templates, tasks, running: [] },
      now,
    );
    expect([claims.map(({ job, task, template }) => [job.id, task?.id, template.id]), blocked]).to.deep.equal([
      [[2, 2, 1]],
      [],
    ]);
  });
});
