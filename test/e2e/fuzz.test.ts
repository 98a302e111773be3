import { holdRound } from '../support/fuzz/hold-round.ts';
import { spawnedTarget } from '../support/fuzz/spawned-target.ts';

describe('Bad input to the whole program', () => {
  holdRound(import.meta.filename, () => spawnedTarget('sqlite'), 400);
});
