import { defineKillRunTest } from '../support/faults/define-kill-run-test.ts';

describe('two services on one SQLite file that are killed again and again', () => {
  defineKillRunTest({ kind: 'sqlite', slots: 2, kills: 6 });
});
