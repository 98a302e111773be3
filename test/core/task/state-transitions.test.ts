import {
  isJobEnded,
  isTaskEnded,
  type JobState,
  jobStates,
  jobTransitions,
  type TaskState,
  taskStates,
  taskTransitions,
} from '@horarium/core';
import { expect } from 'chai';
import { transition } from '#core/task/transition';

// Each row is a state, each column where it may go from there: x = allowed.

const tasks: Readonly<Record<TaskState, string>> = {
  //              open running fulfilled fulfilled_late failed missed cancelled
  open: /*      */ '- x - - x x x',
  running: /*   */ 'x - x x x - x',
  fulfilled: /* */ '- - - - - - -',
  fulfilled_late: '- - - - - - -',
  failed: /*    */ '- - - - - - -',
  missed: /*    */ '- - - - - - -',
  cancelled: /* */ '- - - - - - -',
};
const taskColumns: readonly TaskState[] = [
  'open',
  'running',
  'fulfilled',
  'fulfilled_late',
  'failed',
  'missed',
  'cancelled',
];

const jobs: Readonly<Record<JobState, string>> = {
  //             scheduled running succeeded failed timed_out cancelled lost skipped
  scheduled: '- x - - - x - x',
  running: /**/ '- - x x x x x -',
  succeeded: '- - - - - - - -',
  failed: /* */ '- - - - - - - -',
  timed_out: '- - - - - - - -',
  cancelled: '- - - - - - - -',
  lost: /*   */ '- - - - - - - -',
  skipped: /**/ '- - - - - - - -',
};
const jobColumns: readonly JobState[] = [
  'scheduled',
  'running',
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'lost',
  'skipped',
];

function walk<S extends string>(
  table: Readonly<Record<S, string>>,
  columns: readonly S[],
  moves: Readonly<Record<S, readonly S[]>>,
) {
  for (const from of columns)
    table[from].split(' ').forEach((cell, column) => {
      const to = columns[column] as S;
      const attempt = () => transition(moves, from, to);
      if (cell === 'x') expect(attempt(), `${from} → ${to}`).to.equal(to);
      else expect(attempt, `${from} → ${to}`).to.throw(`A transition from ${from} to ${to} is not allowed.`);
    });
}

describe('States', () => {
  it('of Tasks are those of the table', () => {
    expect([...taskStates].sort()).to.deep.equal([...taskColumns].sort());
    expect(Object.keys(taskTransitions).sort()).to.deep.equal([...taskColumns].sort());
  });

  it('of Jobs are those of the table', () => {
    expect([...jobStates].sort()).to.deep.equal([...jobColumns].sort());
    expect(Object.keys(jobTransitions).sort()).to.deep.equal([...jobColumns].sort());
  });

  it('of Tasks change as the table allows, cell by cell', () => walk(tasks, taskColumns, taskTransitions));

  it('of Jobs change as the table allows, cell by cell', () => walk(jobs, jobColumns, jobTransitions));

  it('that nothing leads out of are ends', () => {
    expect(taskColumns.filter(isTaskEnded)).to.deep.equal([
      'fulfilled',
      'fulfilled_late',
      'failed',
      'missed',
      'cancelled',
    ]);
    expect(jobColumns.filter(isJobEnded)).to.deep.equal([
      'succeeded',
      'failed',
      'timed_out',
      'cancelled',
      'lost',
      'skipped',
    ]);
  });
});
