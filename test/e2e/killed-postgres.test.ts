import { defineKillRunTest } from '../support/faults/define-kill-run-test.ts';

describe('three services on one PostgreSQL that are killed again and again', () => {
  defineKillRunTest({ kind: 'postgresql', slots: 3, kills: 6 });
});
