import { systemClock } from '../../../adapters/node/system-clock.ts';
import { clockContract } from '../../contracts/clock.ts';

describe('systemClock', () => {
  clockContract(systemClock, (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)));
});
