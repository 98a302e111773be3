import { killRunTest } from '../support/faults/kill-run-test.ts';

describe('Two services on one SQLite file, killed again and again', () => {
  killRunTest({ kind: 'sqlite', lanes: 2, kills: 50 });
});
