import { systemClock } from '@horarium/core';
import { clockContract } from '@horarium/core/contracts';
import { defineContractTests } from '../../support/mocha/define-contract-tests.ts';

describe('systemClock', () => {
  const pass = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
  defineContractTests(clockContract(systemClock, pass));
});
