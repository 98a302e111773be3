import { holdRound } from '../../support/fuzz/hold-round.ts';
import { memoryTarget } from '../../support/fuzz/memory-target.ts';

describe('Bad input over HTTP', () => {
  holdRound(import.meta.filename, memoryTarget, 1000);
});
