import { systemClock } from '@horarium/core';
import { clockContract } from '../../contracts/clock.ts';

describe('systemClock', () => {
  clockContract(systemClock, (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)));
});
