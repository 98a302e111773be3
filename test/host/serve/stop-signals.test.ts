import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { type Signals, StopSignals } from '../../../host/serve/stop-signals.ts';

describe('StopSignals', () => {
  let now: number;
  let signals: EventEmitter;
  let stop: StopSignals;
  const told: string[] = [];

  beforeEach(() => {
    now = 0;
    told.length = 0;
    signals = new EventEmitter();
    stop = new StopSignals(signals as unknown as Signals, { elapsed: () => now }, ['SIGINT', 'SIGTERM', 'SIGHUP']);
    void stop.asked.then((signal) => told.push(`asked ${signal}`));
    void stop.insisted.then((signal) => told.push(`insisted ${signal}`));
  });

  const send = async (signal: string, at: number) => {
    now = at;
    signals.emit(signal, signal);
    await turn();
  };

  it('distinguishes the first signal from the second', async () => {
    await send('SIGTERM', 1000);
    expect(told).to.deep.equal(['asked SIGTERM']);
    await send('SIGINT', 2000);
    expect(told).to.deep.equal(['asked SIGTERM', 'insisted SIGINT']);
  });

  it('counts two signals at the same moment as one Ctrl-C', async () => {
    await send('SIGINT', 1000);
    await send('SIGINT', 1005);
    expect(told).to.deep.equal(['asked SIGINT']);
    await send('SIGINT', 1400);
    expect(told).to.deep.equal(['asked SIGINT', 'insisted SIGINT']);
  });

  it('counts a hangup as a request to stop when SIGHUP is among its signals', async () => {
    await send('SIGHUP', 1000);
    expect(told).to.deep.equal(['asked SIGHUP']);
  });

  it('removes its listeners when it is disposed', () => {
    stop[Symbol.dispose]();
    expect(signals.eventNames()).to.deep.equal([]);
  });
});
