import { itSurvivesFuzzing } from '../support/fuzz/it-survives-fuzzing.ts';
import { spawnedTarget } from '../support/fuzz/spawned-target.ts';

describe('Malformed requests to the running program', () => {
  itSurvivesFuzzing(import.meta.filename, () => spawnedTarget('sqlite'), 250);
});
