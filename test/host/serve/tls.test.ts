import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { ReloadOnSighup } from '../../../host/serve/tls.ts';

describe('ReloadOnSighup', () => {
  it('reloads the certificate at each SIGHUP, also after one that could not be used', async () => {
    const signals = new EventEmitter();
    const logged: string[] = [];
    let isUsable = true;
    const reload = async () => {
      if (!isUsable) throw new Error('no certificate');
    };
    const lines = {
      tlsReloaded: () => void logged.push('reloaded'),
      tlsReloadFailed: (error: unknown) => void logged.push((error as Error).message),
    };
    const reloads = new ReloadOnSighup(signals, reload, lines);
    for (const usable of [true, false, true]) {
      isUsable = usable;
      signals.emit('SIGHUP');
      await reloads.done;
    }
    expect(logged).to.deep.equal(['reloaded', 'no certificate', 'reloaded']);
    reloads[Symbol.dispose]();
    expect(signals.listenerCount('SIGHUP')).to.equal(0);
  });
});
