import { systemClock } from '@horarium/core';
import { executorContract } from '@horarium/core/contracts';
import { nativeExecutor } from '../../support/executors/native-executor.ts';
import { defineContractTests } from '../../support/mocha/define-contract-tests.ts';

const programs = {
  succeeds: { executable: 'true', arguments: [] },
  fails: { executable: 'sh', arguments: ['-c', 'exit 3'] },
  writes: { executable: 'sh', arguments: ['-c', 'printf out; printf err >&2'] },
  writesMebibyte: { executable: 'head', arguments: ['-c', '3000000', '/dev/zero'] },
  runsUntilStopped: { executable: 'sleep', arguments: ['1000'] },
  missing: { executable: 'no-such-program', arguments: [] },
  echoesStdin: { executable: 'cat', arguments: [] },
  writesGreeting: { executable: 'sh', arguments: ['-c', 'printf %s "$GREETING"'] },
  writesFile: { executable: 'cat', arguments: [] },
};

describe('The native executor', () => {
  const make = () => ({ executor: nativeExecutor(), programs });
  defineContractTests(executorContract(make, systemClock, { keepsAlive: true, takesFiles: true }));
});
