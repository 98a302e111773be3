import { systemClock } from '@horarium/core';
import { executorContract } from '@horarium/core/contracts';
import type { Executor } from '@horarium/core/plugin';
import { defineContractTests } from '../../support/mocha/define-contract-tests.ts';
import { StandIn, withImage } from './stand-in.ts';

const shell = (script: string) => ({ executable: 'sh', arguments: ['-c', script] });

describe('The executor of containers', () => {
  const programs = {
    succeeds: { executable: 'true', arguments: [] },
    fails: shell('exit 3'),
    writes: shell('printf out; printf err >&2'),
    writesMebibyte: { executable: 'head', arguments: ['-c', '3000000', '/dev/zero'] },
    runsUntilStopped: { executable: 'sleep', arguments: ['1000'] },
    missing: { executable: 'no-such-program', arguments: [] },
    echoesStdin: { executable: 'cat', arguments: [] },
    writesGreeting: shell('printf %s "$GREETING"'),
  };
  const make = () => ({ executor: withImage(new StandIn().executor() as Executor), programs });
  defineContractTests(executorContract(make, systemClock, { keepsAlive: true }));
});
