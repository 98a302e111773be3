import { systemClock } from '@horarium/core';
import { executorContract } from '@horarium/core/contracts';
import { nativePrograms as programs } from '../../support/executors/native-programs.ts';
import { defineContractTests } from '../../support/mocha/define-contract-tests.ts';
import { RemoteExecutor } from '../../support/nats/remote-executor.ts';
import { natsServer } from '../../support/nats/test-nats.ts';

describe('The native executor of an agent, through NATS (HORARIUM_TEST_NATS_SERVER)', () => {
  before(function () {
    if (natsServer === undefined) this.skip();
  });

  const make = async () => ({ executor: await RemoteExecutor.open(), programs });
  defineContractTests(
    executorContract(make, systemClock, { keepsAlive: true, takesFiles: true, reportsProgress: true }),
  );
});
