import { systemClock } from '@horarium/core';
import { executorContract } from '@horarium/core/contracts';
import { nativeExecutor } from '../../support/executors/native-executor.ts';
import { nativePrograms } from '../../support/executors/native-programs.ts';
import { defineContractTests } from '../../support/mocha/define-contract-tests.ts';

describe('The native executor', () => {
  const make = () => ({ executor: nativeExecutor(), programs: nativePrograms });
  defineContractTests(
    executorContract(make, systemClock, { keepsAlive: true, takesFiles: true, reportsProgress: true }),
  );
});
