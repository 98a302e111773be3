import { readFileSync } from 'node:fs';
import { systemClock } from '@horarium/core';
import { clockContract } from '@horarium/core/contracts';
import { nodeClock } from '@horarium/core/node';
import { expect } from 'chai';
import { defineContractTests } from '../../support/mocha/define-contract-tests.ts';

const pass = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

describe('systemClock', () => {
  defineContractTests(clockContract(systemClock, pass));
});

describe('nodeClock', () => {
  defineContractTests(clockContract(nodeClock, pass));

  it('knows how long Linux let its thread wait for a processor', () => {
    const waited = () => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[1]) / 1e6;
    const [before, read, after] = [waited(), nodeClock.cpuDelay?.(), waited()];
    expect(before).to.be.above(0);
    expect(read).to.be.within(before, after);
  });

  it('names the boot of this machine', () => {
    expect(nodeClock.boot).to.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });
});
