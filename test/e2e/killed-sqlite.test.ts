import { killRunTest } from '../support/faults/kill-run-test.ts';

describe('two services on one SQLite file that are killed again and again', () => {
  killRunTest({ kind: 'sqlite', slots: 2, kills: 50 });
});
