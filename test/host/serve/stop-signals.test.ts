import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { type Signals, StopSignals } from '../../../host/serve/stop-signals.ts';

describe('StopSignals', () => {
  let now: number;
  let signals: EventEmitter;
  let stop: StopSignals;
  const received: string[] = [];

  beforeEach(() => {
    now = 0;
    received.length = 0;
    signals = new EventEmitter();
    stop = new StopSignals(signals as unknown as Signals, { elapsed: () => now }, ['SIGINT', 'SIGTERM', 'SIGHUP']);
    void stop.first.then((signal) => received.push(`first ${signal}`));
    void stop.second.then((signal) => received.push(`second ${signal}`));
  });

  const send = async (signal: string, at: number) => {
    now = at;
    signals.emit(signal, signal);
    await nextTurn();
  };

  it('distinguishes the first signal from the second', async () => {
    await send('SIGTERM', 1000);
    expect(received).to.deep.equal(['first SIGTERM']);
    await send('SIGINT', 2000);
    expect(received).to.deep.equal(['first SIGTERM', 'second SIGINT']);
  });

  it('counts two signals at the same moment as one Ctrl-C', async () => {
    await send('SIGINT', 1000);
    await send('SIGINT', 1005);
    expect(received).to.deep.equal(['first SIGINT']);
    await send('SIGINT', 1400);
    expect(received).to.deep.equal(['first SIGINT', 'second SIGINT']);
  });

  it('counts a hangup as a request to stop when SIGHUP is among its signals', async () => {
    await send('SIGHUP', 1000);
    expect(received).to.deep.equal(['first SIGHUP']);
  });

  it('removes its listeners when it is disposed', () => {
    stop[Symbol.dispose]();
    expect(signals.eventNames()).to.deep.equal([]);
  });
});
