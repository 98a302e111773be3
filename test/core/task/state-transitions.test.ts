import { isJobEnded, isTaskEnded, type JobState, jobStates, type TaskState, taskStates } from '@horarium/core';
import { expect } from 'chai';
import { jobTransitions } from '#core/job/job-states';
import { taskTransitions } from '#core/task/task';
import { transition } from '#core/task/transition';

// A row for each current state and a column for each next state, in the same order; x = allowed.

const taskTable: Readonly<Record<TaskState, string>> = {
  //              open running fulfilled fulfilled_late failed missed cancelled
  open: /*      */ '- x - - x x x',
  running: /*   */ 'x - x x x - x',
  fulfilled: /* */ '- - - - - - -',
  fulfilled_late: '- - - - - - -',
  failed: /*    */ '- - - x - - -',
  missed: /*    */ '- - - x - - -',
  cancelled: /* */ '- - - x - - -',
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

const jobTable: Readonly<Record<JobState, string>> = {
  //             scheduled running succeeded failed timed_out cancelled lost skipped
  scheduled: '- x - - - x - x',
  running: /**/ 'x - x x x x x -',
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

function checkEachCell<S extends string>(
  table: Readonly<Record<S, string>>,
  columns: readonly S[],
  transitions: Readonly<Record<S, readonly S[]>>,
) {
  for (const from of columns)
    table[from].split(' ').forEach((cell, column) => {
      const to = columns[column] as S;
      const change = () => transition(transitions, from, to);
      if (cell === 'x') expect(change(), `${from} → ${to}`).to.equal(to);
      else expect(change, `${from} → ${to}`).to.throw(`A transition from ${from} to ${to} is not allowed.`);
    });
}

describe('The state machines of Tasks and Jobs', () => {
  it('define transitions for every state of a Task and no other state', () => {
    expect([...taskStates].sort()).to.deep.equal([...taskColumns].sort());
    expect(Object.keys(taskTransitions).sort()).to.deep.equal([...taskColumns].sort());
  });

  it('define transitions for every state of a Job and no other state', () => {
    expect([...jobStates].sort()).to.deep.equal([...jobColumns].sort());
    expect(Object.keys(jobTransitions).sort()).to.deep.equal([...jobColumns].sort());
  });

  it('allow the transitions of a Task that the table marks, and reject all others', () =>
    checkEachCell(taskTable, taskColumns, taskTransitions));

  it('allow the transitions of a Job that the table marks, and reject all others', () =>
    checkEachCell(jobTable, jobColumns, jobTransitions));

  it('end in every state but open, running and scheduled', () => {
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
