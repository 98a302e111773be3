import { itSurvivesFuzzing } from '../../../support/fuzz/it-survives-fuzzing.ts';
import { memoryTarget } from '../../../support/fuzz/memory-target.ts';

describe('Malformed requests over HTTP', () => {
  itSurvivesFuzzing(import.meta.filename, memoryTarget, 600);
});
