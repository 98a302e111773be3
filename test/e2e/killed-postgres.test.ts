import { killRunTest } from '../support/faults/kill-run-test.ts';

describe('Three services on one PostgreSQL, killed again and again', () => {
  killRunTest({ kind: 'postgresql', lanes: 3, kills: 51 });
});
