import { killRunTest } from '../support/faults/kill-run-test.ts';

describe('three services on one PostgreSQL that are killed again and again', () => {
  killRunTest({ kind: 'postgresql', slots: 3, kills: 51 });
});
